import { describe, expect, test } from 'vitest';
import { stubOf } from '../../../src/engine/ledger/audit.ts';
import { readKeys } from '../../../src/engine/ledger/key-claims.ts';
import { type LedgerKeys, ledgerKeys } from '../../../src/engine/ledger/keys.ts';
import { createRunInput } from '../../../src/engine/ledger/reruns.ts';
import { createRunStore } from '../../../src/engine/ledger/run-store.ts';
import { createRunView, readDoubts } from '../../../src/engine/ledger/run-view.ts';
import { IN_CLEAR, readKeyring, rekey } from '../../../src/engine/ledger/sealing.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import { ownFolder } from '../../support/folder.ts';
import { claimOf, entriesIn, intentOn, runningRun, settlementsOf } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { newKey, openWith, sealedKeys } from '../../support/sealing.ts';
import { settledRow } from '../../support/settled-row.ts';
import { chunkKey, copyOf, everythingIn, lose, SEALING, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();
const SPACE = 'subclient';
const ACTOR = { name: 'ann', via: 'user' } as const;
const KEY = 'KEY-MARK';
const STORED = { record: SEALING };

/** A row of the run that ended so, with something in each of its places. */
const ended = (row: number, outcome: 'created' | 'rejected' | 'in-doubt', mark = `i a.1 1.${row}`) =>
  settledRow(row, outcome, {
    key: `${KEY}-${row}`,
    identity: { space: SPACE, key: `${KEY}-${row}` },
    message: `MESSAGE-MARK {of}`,
    values: { of: 'VALUE-MARK' },
    mark,
    ...(outcome === 'created' ? {} : { source: '{"a":"SOURCE-MARK"}', body: 'BODY-MARK' }),
  });

const entriesOf = ({ audit }: LedgerKeys) => own().redis.lrange(audit, 0, -1);

const contentOf = async (keys: Awaited<ReturnType<typeof sealedKeys>>) =>
  JSON.stringify(await everythingIn(own().redis, keys));

describe('a sealed run', () => {
  test('has its rows again, recorded together, by themselves or out of order, and Redis and journal none of them', async () => {
    const { redis } = own();
    const keys = await sealedKeys(redis);
    const { ledger, journal, run, id } = await runningRun(redis, { rows: 5, keys });
    const range = {
      chunk: 1,
      fencingToken: 'a.1',
      seen: '',
      from: 0,
      repeatable: false,
      claimed: '',
      outOfOrder: [],
    };
    await ledger.exchange({
      ranges: [{ ...range, rows: [1, 2, 3, 4].map((row) => ({ row, identity: null })) }],
    });
    // The third row's attempt is another one by now: what is told together is taken apart.
    await ledger.withdraw({ chunk: 1, row: 3, mark: 'i a.1 1.3' });
    await ledger.exchange({ ended: [1, 2].map((row) => ended(row, 'created')) });
    await ledger.exchange({ ended: [3, 4].map((row) => ended(row, 'created')) });
    await ledger.exchange({ next: [intentOn(5, 'i a.1 1')] });
    await ledger.settle(ended(5, 'in-doubt', 'i a.1 1'));
    const all = await settlementsOf(redis, keys, await run());
    expect(all.map(({ row, key, message, values }) => [row, key, message, values.of])).toEqual(
      [1, 2, 3, 4, 5].map((row) => [row, `${KEY}-${row}`, 'MESSAGE-MARK {of}', 'VALUE-MARK']),
    );
    const marks = (await ledger.take(1, [1, 2, 3, 4, 5])).marks;
    expect([...marks.values()].every(({ kind }) => kind === 'settled')).toBe(true);
    expect(await contentOf(keys)).not.toMatch(/MARK/);
    expect(await ledger.close(1, 5)).toBe(true);
    expect(await settlementsOf(redis, keys, await run())).toEqual(all);
    const view = createRunView(redis, keys, await run());
    expect((await view.bodies([5])).get(5)?.text).toBe('BODY-MARK');
    expect((await readDoubts(redis, keys.run(id), [5])).get(5)?.key).toBe(`${KEY}-5`);
    expect((await run()).file).toBe('/in/a.csv');
    expect(await contentOf(keys)).not.toMatch(/MARK|a\.csv/);
    expect(JSON.stringify(journal.records)).not.toMatch(/MARK/);
  });

  test('is put back from its journal, rows that were told together too', async () => {
    const { redis } = own();
    const keys = await sealedKeys(redis);
    const { ledger, journal, run, id } = await runningRun(redis, { rows: 2, keys });
    const range = {
      chunk: 1,
      fencingToken: 'a.1',
      seen: '',
      from: 0,
      repeatable: false,
      claimed: '',
      outOfOrder: [],
    };
    await ledger.exchange({ ranges: [{ ...range, rows: [1, 2].map((row) => ({ row, identity: null })) }] });
    await ledger.exchange({ ended: [1, 2].map((row) => ended(row, 'created')) });
    const all = await settlementsOf(redis, keys, await run());
    const k = keys.run(id);
    const record = await redis.hgetall(k.record);
    const told = journal.records.flatMap((one) => (one.kind === 'settled' ? entriesIn(one.ended) : []));
    await lose(redis, k.record, chunkKey(k));
    const replay = createReplay(redis, keys);
    await replay.run(id, record);
    await replay.settled(id, told);
    expect(await settlementsOf(redis, keys, await run())).toEqual(all);
    // Each row has a box of its own, not that of all.
    const texts = await redis.hmget(`${k.chunk}1`, '1', '2');
    expect(new Set(texts.map((text) => JSON.parse(text ?? '[]').at(-1))).size).toBe(2);
  });

  test('of a rerun has its rows under the data key that its record gets', async () => {
    const { redis } = own();
    const keys = await sealedKeys(redis);
    const of = newRun();
    const rows = [{ kind: 'cells' as const, row: 1, line: 2, cells: ['CELL-MARK'] }];
    await createRunInput(redis, keys, of.id).write(1, rows);
    await createRunStore(redis, keys, () => new Date()).register(of);
    expect(await contentOf(keys)).not.toMatch(/MARK/);
    for await (const chunk of createRunInput(redis, keys, of.id).read({ ...of, rows: 1, chunkEnds: null }))
      expect(chunk.rows).toEqual(rows);
  });
});

describe('what finds keys', () => {
  test('is an HMAC: another ledger key finds nothing', async () => {
    const { redis } = own();
    const keys = await sealedKeys(redis);
    const { epoch, id } = await runningRun(redis, { keys });
    await claimOf({ epoch, keys }, id, [[1, KEY]]);
    const asked = { space: SPACE, names: [KEY] };
    expect((await readKeys(redis, keys, asked)).get(KEY)?.kind).toBe('held');
    const inClear = { ...keys, sealing: IN_CLEAR };
    expect((await readKeys(redis, inClear, asked)).get(KEY)?.kind).toBe('free');
    expect(keys.sealing.saltOf(KEY)).not.toBe(IN_CLEAR.saltOf(KEY));
  });
});

/** A Redis with nothing in it, and a home. */
async function empty() {
  const { redis } = own();
  await redis.flushall();
  return { redis, home: await ownFolder(), key: newKey() };
}

describe('a ledger', () => {
  test('that was begun with a key is refused without it, under another, or where that is none', async () => {
    const { redis, home, key } = await empty();
    const sealing = await openWith(redis, { key, home });
    await sealing.begun();
    const elsewhere = await ownFolder();
    const id = sealing.keyId;
    for (const at of [home, elsewhere]) {
      const none = openWith(redis, { key: null, home: at });
      await expect(none).rejects.toThrow(
        `sealed under the encryption key with the id ${id}, and none is set`,
      );
      const other = openWith(redis, { home: at });
      await expect(other).rejects.toThrow(
        new RegExp(`with the id ${id}, and the one that is set has the id `),
      );
    }
    await expect(openWith(redis, { key: 'c2hvcnQ=', home })).rejects.toThrow(
      /^ONBOARD_ENCRYPTION_KEY: expected 32 bytes in base64/,
    );
    expect((await openWith(redis, { key, home: elsewhere })).digest(KEY, 16)).toBe(sealing.digest(KEY, 16));
  });

  test('that has runs and no key stays so', async () => {
    const { redis, home } = await empty();
    await expect(openWith(redis, { home, hasRuns: true })).rejects.toThrow(
      /begun without ONBOARD_ENCRYPTION_KEY, and stays so/,
    );
    expect((await openWith(redis, { key: null, home, hasRuns: true })).keyId).toBeNull();
  });

  test('in one Redis is either: who begins it in clear keeps sealed ones out, and the other way round', async () => {
    const { redis, home, key } = await empty();
    const inClear = await openWith(redis, { key: null });
    const sealed = await openWith(redis, { key, home });
    await inClear.begun();
    // Opened before there was anything: neither goes on beside the other.
    await expect(sealed.begun()).rejects.toThrow(/begun without ONBOARD_ENCRYPTION_KEY/);
    await expect(openWith(redis, { key, home })).rejects.toThrow(/begun without ONBOARD_ENCRYPTION_KEY/);
    await redis.flushall();
    await (await openWith(redis, { key, home })).begun();
    await expect(inClear.begun()).rejects.toThrow(/and none is set/);
    // A home that knows another sealed ledger, at a Redis that has runs in clear.
    await redis.flushall();
    await expect(openWith(redis, { key, home, hasRuns: true })).rejects.toThrow(/begun without/);
  });

  test('is begun by nobody who only looks, and once where two begin it', async () => {
    const { redis, home, key } = await empty();
    const [one, other] = [await openWith(redis, { key, home }), await openWith(redis, { key })];
    expect(await redis.dbsize()).toBe(0);
    await one.begun();
    await other.begun();
    expect(other.digest(KEY, 16)).toBe(one.digest(KEY, 16));
  });

  test('keeps its ledger key through a Redis that was emptied', async () => {
    const { redis, home, key } = await empty();
    const one = await openWith(redis, { key, home });
    await one.begun();
    await redis.flushall();
    const next = await openWith(redis, { key, home });
    expect(next.digest(KEY, 16)).toBe(one.digest(KEY, 16));
    await redis.flushall();
    // Another machine, which knows nothing of it, comes first: neither goes on beside the other.
    await (await openWith(redis, { key })).begun();
    await expect(one.begun()).rejects.toThrow(/is of another sealed ledger/);
    await expect(openWith(redis, { key, home })).rejects.toThrow(/is of another sealed ledger/);
  });
});

test('rekey wraps all data keys anew but of runs that are purged meanwhile, twice the same, and the former key opens nothing more', async () => {
  const { redis, home, key: former } = await empty();
  const sealing = await openWith(redis, { key: former, home });
  await sealing.begun();
  const before = ledgerKeys('sandbox', ACTOR, sealing);
  const { id } = await runningRun(redis, { keys: before });
  const next = newKey();
  const keyring = await readKeyring({ kind: 'value', value: next }, { kind: 'value', value: former });
  if (keyring === null) throw new Error('no keyring');
  const chains = new Map([[before.audit, stubOf(before, '', 'now')]]);
  const records = new Map([
    [id, before.run(id).record],
    ['purged', before.run('purged').record],
  ]);
  // Killed between the last data key and the ledger key, it is told by the one that ends it.
  const goBack = await copyOf(redis, SEALING);
  await setRecord(redis, STORED, { dataKey: 'no json' });
  await expect(rekey(redis, keyring, { records, chains })).rejects.toThrow('JSON');
  await goBack();
  expect(await rekey(redis, keyring, { records, chains })).toMatchObject({ from: [sealing.keyId], runs: 1 });
  expect(await rekey(redis, keyring, { records, chains })).toMatchObject({ from: [], runs: 1 });
  const told = (await entriesOf(before))
    .map((text) => JSON.parse(text))
    .filter(({ what }) => what === 'key-rotated');
  expect(told.map(({ of }) => of)).toEqual([{ from: sealing.keyId, to: keyring[0].id }]);
  const purged = await runningRun(redis, { keys: before });
  const { record } = before.run(purged.id);
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, ...rest) => {
    if (command.name === 'hget') return send(command, ...rest);
    // Its key has been read, and not yet written.
    redis.sendCommand = send;
    void setRecord(redis, { record }, { dataKey: null });
    return send(command, ...rest);
  };
  await rekey(redis, keyring, { records: new Map([[purged.id, record]]), chains });
  expect(await redis.hexists(record, 'dataKey')).toBe(0);
  const after = await openWith(redis, { key: next, home });
  await after.begun();
  await setRecord(redis, STORED, { dataKey: null });
  // The home's copy too: in a Redis that was emptied the former key isn't asked for.
  await (await openWith(redis, { key: next, home })).begun();
  const keys = ledgerKeys('sandbox', ACTOR, after);
  expect((await createRunStore(redis, keys, () => new Date()).get(id))?.file).toBe('/in/a.csv');
  expect(after.digest(KEY, 16)).toBe(sealing.digest(KEY, 16));
  await expect(openWith(redis, { key: former, home })).rejects.toThrow(/with the id/);

  // Registered meanwhile by a process that has the former key alone: it is listed, and not read.
  const late = await runningRun(redis, { keys: before });
  expect((await createRunStore(redis, keys, () => new Date()).get(late.id))?.file).toBe('(sealed)');
  const seal = await keys.run(late.id).seal();
  for (const use of [
    () => seal.text('a', 'b'),
    () => seal.openText('bodies 1', 'b'),
    () => seal.bytes('a', Buffer.of(1)),
  ])
    expect(use).toThrow(`with the id ${sealing.keyId}`);
});

test('a sealed ledger whose entry Redis has lost gets it back by who has its key and home, and nobody else goes on', async () => {
  const { redis, home, key } = await empty();
  const sealing = await openWith(redis, { key, home });
  await sealing.begun();
  await lose(redis, SEALING);
  const foreign = await ownFolder();
  await (await openWith(redis, { key, home: foreign })).begun();
  await lose(redis, SEALING);
  const lost = { hasRuns: true, sealedUnder: sealing.name() };
  for (const opening of [
    { ...lost, key: null, home },
    { ...lost, home },
    { ...lost, key },
    { ...lost, key, home: foreign },
    // The home alone says that it is sealed; the runs alone do, where the index has lost them.
    { key: null, home, hasRuns: true },
    { ...lost, key: null, hasRuns: false },
  ])
    await expect(openWith(redis, opening)).rejects.toThrow(`The entry ${SEALING} is missing`);
  expect(await redis.exists(SEALING)).toBe(0);
  const found = await openWith(redis, { ...lost, key, home });
  expect([found.digest(KEY, 16), await redis.exists(SEALING)]).toEqual([sealing.digest(KEY, 16), 1]);
});
