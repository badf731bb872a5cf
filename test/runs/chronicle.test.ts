import { expect, test } from 'vitest';
import { readHistory } from '../../src/ledger/history.ts';
import { createRunStore } from '../../src/ledger/run-store.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import { createChronicle } from '../../src/runs/chronicle.ts';
import { sampleRun } from '../cli/sample-run.ts';
import { useOwnRedis } from '../support/redis.ts';
import { ownKeys } from '../support/runs.ts';

const own = useOwnRedis();

function openChronicle() {
  const { redis } = own();
  const keys = ownKeys();
  const run = { ...sampleRun(), startedAt: new Date(0).toISOString() };
  const clock = { ms: 0 };
  const of = () => ({ keys, store: createRunStore(redis, keys, () => new Date()) });
  const chronicle = createChronicle(run, { redis, of }, () => clock.ms);
  const at = (ms: number, created: number, isReader = true, state = run.state) => {
    clock.ms = ms;
    chronicle.look({ ...run, rows: 9, state, outcomes: { ...noOutcomes(), created } }, isReader);
  };
  const history = () => readHistory(redis, keys, run.id);
  return { chronicle, at, history };
}

test('the counters are kept once a second where they change, and at the end at once', async () => {
  const { at, history } = openChronicle();
  at(1_000, 1);
  at(1_200, 2);
  at(2_100, 3);
  at(4_000, 3);
  at(4_100, 9, true, 'finished');
  const { pulse } = await history();
  expect(pulse.map(({ ms, outcomes }) => [ms, outcomes.created])).toEqual([
    [1_000, 1],
    [2_100, 3],
    [4_100, 9],
  ]);
});

test('only the process that reads the run keeps its history', async () => {
  const { chronicle, at, history } = openChronicle();
  at(1_000, 1, false);
  chronicle.turned('service-away', 'connection refused');
  at(2_000, 1);
  chronicle.turned('service-well', '');
  expect(await history()).toMatchObject({
    pulse: [{ ms: 2_000 }],
    story: [{ at: 2_000, what: 'service-well' }],
  });
});
