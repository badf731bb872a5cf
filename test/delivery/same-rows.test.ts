import { expect, test } from 'vitest';
import { claimKeys } from '../../src/engine/ledger/key-claims.ts';
import type { ChunkJob } from '../../src/engine/queue/chunk-job.ts';
import { identityByPlace } from '../../src/model/identity.ts';
import { identitySpace } from '../../src/operations/operations.ts';
import { createFileIdentify } from '../../src/runs/identities.ts';
import { claimedRows, claimingRows } from '../../src/runs/ingest.ts';
import { compiled, rowsOf, SUBCLIENTS } from '../runs/check/sample-portfolio.ts';
import { useOwnRedis } from '../support/redis.ts';
import { entryOf, getEntry, lose, setEntry } from '../support/stored.ts';
import { type Bench, created, deliverOn, endsOf, settlementsOf, startBench } from './row-bench.ts';

const own = useOwnRedis();
const KEYLESS = { ...SUBCLIENTS, key: undefined, ignore: ['IBAN', 'Ref'] };
const { definition, mapping } = compiled(KEYLESS);

const start = (rows: number) =>
  startBench(own().redis, {
    definition: KEYLESS,
    rows,
    over: { mapping },
    attempt: (n) => created(`made-${n}`),
  });

/** Rows of these names as their file's reading claims them; `keys`: what each is known by. */
async function claimed({ context: { run }, epoch, keys }: Bench, names: readonly string[]) {
  const rows = rowsOf(names.map((name) => `,${name}`));
  const identify = createFileIdentify(run.sha256, { definition, mapping });
  const apart = new Map<number, number>();
  const claiming = claimingRows(rows, { definition, mapping, apart, identify });
  const answered = await claimKeys(epoch, keys, { run: run.id, space: identitySpace(run), rows: claiming });
  const job: ChunkJob = { run: run.id, chunk: 1, rows: claimedRows(rows, claiming, answered, apart) };
  return { job, keys: claiming.map(({ key }) => key) };
}

const kept = ({ keys }: Bench, key = '') => getEntry(own().redis, keys, key);
const forget = ({ keys }: Bench, key = '') => lose(own().redis, entryOf(keys, key).bucket);

test('a claim that Redis lost is made again before the row goes, or left to who has the content by now', async () => {
  const bench = await start(3);
  const { id } = bench.context.run;
  const { job, keys } = await claimed(bench, ['A', 'B', 'A']);
  for (const key of keys) await forget(bench, key);
  await setEntry(own().redis, bench.keys, keys[1] ?? '', 'c run-other 4 ');
  expect(await deliverOn(bench, job)).toBe('closed');
  expect(await endsOf(bench)).toEqual(['1 created made-1', '2 invalid key_held', '3 invalid same_row']);
  expect(await kept(bench, keys[0])).toBe(`k ${id} 1 made-1`);
});

test('a row that its reading found nothing to know it by is not sent, though it maps now', async () => {
  const bench = await start(1);
  const { job } = await claimed(bench, ['A']);
  const unknown = { ...job, rows: job.rows.map(({ rowContent: _, ...row }) => row) };
  await deliverOn(bench, unknown);
  expect([await endsOf(bench), bench.attempts]).toEqual([['1 invalid internal'], []]);
});

test('what did not succeed is kept with what it is known by; what did, without', async () => {
  const bench = await startBench(own().redis, {
    definition: KEYLESS,
    rows: 2,
    over: { mapping },
    attempt: (n) => (n === 1 ? created() : { ...created(), status: 404, body: '' }),
    concurrency: 1,
  });
  const { job } = await claimed(bench, ['A', 'B']);
  await deliverOn(bench, job);
  const known = (await settlementsOf(bench)).map(({ outcome, keyDigest = '' }) => [
    outcome,
    keyDigest.length,
  ]);
  expect(known).toEqual([
    ['created', 0],
    ['failed', 16],
  ]);
});

test('rows of a run that was begun before rows went by their content go by their places', async () => {
  const bench = await start(1);
  const { identity: _, ...run } = bench.context.run;
  const { job, keys } = await claimed(bench, ['A']);
  await forget(bench, keys[0]);
  const before = { ...job, rows: job.rows.map(({ rowContent: __, ...row }) => row) };
  await deliverOn(bench, before, { context: { ...bench.context, run } });
  expect(await endsOf(bench)).toEqual(['1 created made-1']);
  expect(await kept(bench, identityByPlace(run, 1))).toBe(`k ${run.id} 1 made-1`);
  expect(await kept(bench, keys[0])).toBeNull();
});
