import { expect, test } from 'vitest';
import { KINDS, killKinds } from './scenarios/kill-kinds.ts';
import { allOf } from './support/all-of.ts';
import { SEED } from './support/seed.ts';

test(`groups, references, updates and a rerun at a rate, while one of two workers is killed twice: nothing twice, lost or torn (seed ${SEED})`, async () => {
  // A kill comes at the latest a second after the last one: at that latency two processes don't send so many rows meanwhile.
  const common = { rows: 240, kills: 2, requestsMax: 20, latencyMs: 250, seed: SEED };
  // What they wait for is that the locks of the dead lapse: they do so together.
  const reports = await allOf(KINDS, (kind) => killKinds({ ...common, kind }));
  expect(reports.map(({ kills }) => kills)).toEqual(KINDS.map(() => 2));
}, 240_000);
