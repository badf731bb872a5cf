import { expect, test } from 'vitest';
import { markedValues } from './scenarios/marked-values.ts';
import { SEED } from './support/seed.ts';

test(`with LOG_LEVEL=trace no log, note or summary has a value of a row, whatever befalls it (seed ${SEED})`, async () => {
  const report = await markedValues({ rows: 100, isKilled: false, seed: SEED });
  // What hands rows back has the marker, and is searched in the same way.
  expect(report.handedBack).toBeGreaterThan(0);
  expect(report.texts).toBeGreaterThan(5);
}, 120_000);
