import { expect, test } from 'vitest';
import { interruptionNotice } from '../../src/cli/program.ts';

test.each([
  [
    ['run', 'j', 'a.csv'],
    'Ending: rows in flight are being settled, at most 30 s; once more ends at once and leaves them in doubt.',
    0,
  ],
  [
    ['resume', 'r'],
    'Ending: rows in flight are being settled, at most 30 s; once more ends at once and leaves them in doubt.',
    0,
  ],
  [['report', 'run'], 'Ending: at most 30 s; once more ends at once.', 1000],
  [[], 'Ending: at most 30 s; once more ends at once.', 1000],
])('the first signal to %j is answered with "%s" after %i ms', (args, text, afterMs) => {
  expect(interruptionNotice(args, 30_000)).toEqual({ text, afterMs });
});
