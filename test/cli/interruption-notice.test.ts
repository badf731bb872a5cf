import { expect, test } from 'vitest';
import { interruptionNotice } from '../../src/cli/program.ts';

const SENDING =
  'Ending: rows in flight are being settled, at most 30 s; once more ends at once and leaves them in doubt.';
const OTHERS = 'Ending: at most 30 s; once more ends at once.';

test.each([
  [['run', 'j', 'a.csv'], SENDING, 0],
  [['resume', 'r'], SENDING, 0],
  [['report', 'run'], OTHERS, 1000],
  [[], OTHERS, 1000],
])('the first signal to %j is answered with "%s" after %i ms', (args, text, afterMs) => {
  expect(interruptionNotice(args, 30_000)).toEqual({ text, afterMs });
});
