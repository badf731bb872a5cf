import { expect, test } from 'vitest';
import { readChain, readHead, recordAct } from '../../../src/engine/ledger/audit.ts';
import { type LedgerKeys, ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import { createReplay, restorableFields } from '../../../src/engine/recovery/replay.ts';
import { atPage, digestOf, parseEntry, verifyChains } from '../../../src/model/audit.ts';
import { runningRun, settleEntries } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun, ownKeys } from '../../support/runs.ts';
import { settledRow } from '../../support/settled-row.ts';
import { chunkKey, lose, setAudit } from '../../support/stored.ts';

const own = useOwnRedis();

async function textsOf(keys: LedgerKeys): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of readChain(own().redis, keys)) texts.push(...batch);
  return texts;
}

const entriesOf = async (keys: LedgerKeys) => (await textsOf(keys)).map((text) => parseEntry(text));
const actsOf = async (keys: LedgerKeys) => (await entriesOf(keys)).map((entry) => entry?.what);

test('a run’s acts are a chain, with who did each', async () => {
  const redis = own().redis;
  const keys = ledgerKeys('https://api.example.com/audit', atPage('Zoë "ops" /1'));
  const store = createRunStore(redis, keys, () => new Date());
  const run = newRun();
  await store.register(run);
  await store.transition(run.id, 'running', null);
  const why = 'a "new" file\u0007 comes';
  await store.transition(run.id, 'paused', 'requested', { by: 'ops-1', at: '', why });
  await recordAct(redis, keys, { what: 'replied', run: run.id });
  const texts = await textsOf(keys);
  expect(verifyChains(texts).misfit).toBeNull();
  const entries = texts.map((text) => parseEntry(text));
  expect(entries.map((entry) => [entry?.what, entry?.run, entry?.actor, entry?.via])).toEqual(
    ['registered', 'began', 'paused', 'replied'].map((what) => [what, run.id, 'Zoë "ops" /1', 'page']),
  );
  const { sha256: file } = run.facts;
  expect(entries[0]?.of).toMatchObject({ job: run.job, rows: 3, sha256: file, version: expect.any(String) });
  expect(entries[2]?.of).toEqual({ reason: 'requested', why });
  expect(await readHead(redis, keys)).toEqual({ n: 4, head: digestOf(texts[3] ?? '') });
  expect((await store.get(run.id))?.registeredBy).toBe('Zoë "ops" /1');
});

test('a run ends with its counts, and a cancelled one when its last row has its outcome', async () => {
  const one = await runningRun(own().redis);
  await one.ledger.settleAll([settledRow(1, 'created'), settledRow(2, 'rejected')]);
  await one.ledger.close(1, 2);
  expect((await entriesOf(one.keys)).at(-1)).toMatchObject({
    what: 'ended',
    of: { created: 1, rejected: 1 },
  });
  expect(await actsOf(one.keys)).toEqual(['registered', 'began', 'ended']);
  const other = await runningRun(own().redis);
  await other.store.transition(other.id, 'cancelled', null);
  await other.ledger.settleAll([settledRow(1, 'cancelled'), settledRow(2, 'cancelled')]);
  await other.ledger.close(1, 2);
  expect(await actsOf(other.keys)).toEqual(['registered', 'began', 'cancelled', 'ended']);
});

test('processes that append at once make one chain', async () => {
  const keys = ownKeys();
  const others = [own().redis.duplicate(), own().redis.duplicate(), own().redis.duplicate()];
  const acts = others.flatMap((redis, i) =>
    Array.from({ length: 40 }, (_, n) =>
      recordAct(redis, keys, { what: 'log-in', of: { from: `${i} ${n}` } }),
    ),
  );
  await Promise.all(acts);
  const texts = await textsOf(keys);
  expect([texts.length, verifyChains(texts).misfit]).toEqual([120, null]);
  for (const redis of others) redis.disconnect();
});

test('a Redis that lost its tail goes on from what it has', async () => {
  const { redis } = own();
  const keys = ownKeys();
  const act = (person: string) => recordAct(redis, keys, { what: 'person-added', of: { person } });
  for (const person of ['a', 'b', 'c', 'd']) await act(person);
  const before = await textsOf(keys);
  await setAudit(redis, keys, before.slice(0, 2));
  await act('e');
  const texts = await textsOf(keys);
  expect(verifyChains(texts).misfit).toBeNull();
  expect(texts.slice(0, 2)).toEqual(before.slice(0, 2));
  expect(verifyChains([...before, ...texts.slice(2)]).misfit).toBe(5);
});

test('what journals put back is no act', async () => {
  const { redis, keys, id, ledger } = await runningRun(own().redis);
  await ledger.settleAll([settledRow(1, 'created'), settledRow(2, 'created')]);
  const before = await textsOf(keys);
  const { record } = keys.run(id);
  const fields = restorableFields(await redis.hgetall(record));
  await lose(redis, record, chunkKey(keys.run(id)));
  const replay = createReplay(redis, keys);
  await replay.run(id, fields);
  await replay.settled(id, settleEntries(keys, [settledRow(1, 'created'), settledRow(2, 'created')]));
  expect((await redis.hget(record, 'o:created')) ?? '0').toBe('2');
  expect(await textsOf(keys)).toEqual(before);
});
