import { test } from 'vitest';
import { markedValues } from '../scenarios/marked-values.ts';
import { SEED, shareOf } from '../support/seed.ts';

test(`with LOG_LEVEL=trace no log, note or summary has a value of 5,000 rows, whatever befalls them (seed ${SEED})`, async () => {
  await markedValues({ rows: shareOf(5_000), isKilled: true, seed: SEED });
});
