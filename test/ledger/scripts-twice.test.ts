import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, type Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSharedBreaker } from '../../src/ledger/breaker.ts';
import { type ChunkLedger, createChunkLedger } from '../../src/ledger/chunk-ledger.ts';
import { inEpoch, type LedgerEpoch, registerWorker } from '../../src/ledger/epoch.ts';
import { claimKeys } from '../../src/ledger/key-claims.ts';
import type { LedgerKeys } from '../../src/ledger/keys.ts';
import { FAILURE } from '../../src/ledger/lua/breaker.ts';
import {
  CHECK_IN,
  DEREGISTER,
  HEARTBEAT,
  LOOK,
  OPEN_WITHOUT,
  REPLAYING,
  UNAWARE,
} from '../../src/ledger/lua/epoch.ts';
import { CLAIM, LOOK_UP } from '../../src/ledger/lua/keys.ts';
import { ADDED, REPLAY_INTENT, RESTORE } from '../../src/ledger/lua/replay.ts';
import { INTEND, REPLAY_SETTLED, RESOLVE, SETTLE, UNSETTLE, WITHDRAW } from '../../src/ledger/lua/rows.ts';
import {
  CLOSE,
  DROP_LEASE,
  HOLD_LEASE,
  REGISTER,
  REGISTER_RERUN,
  RESERVE,
  TAKE,
  TRANSITION,
} from '../../src/ledger/lua/runs.ts';
import { createReplay, restorableFields } from '../../src/ledger/replay.ts';
import { createRerunStore, createRunInput } from '../../src/ledger/reruns.ts';
import { resolveRows } from '../../src/ledger/resolve.ts';
import { createRunStore, type RunStore } from '../../src/ledger/run-store.ts';
import { script } from '../../src/ledger/script.ts';
import { settleEntry } from '../../src/ledger/settle-entry.ts';
import type { Row } from '../../src/model/row.ts';
import type { Run } from '../../src/model/run.ts';
import { memoryJournal, openTestEpoch } from '../support/epoch.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun, ownKeys } from '../support/runs.ts';
import { settledRow } from '../support/settled-row.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');
const PLACE = { space: 'subclient', key: 'K1' };
const INTENT = {
  chunk: 1,
  row: 1,
  mark: 'i me.1 1.1',
  expected: '',
  identity: PLACE,
  fields: null,
  repeatable: false,
};
const CREATED = settledRow(1, 'created', {
  mark: INTENT.mark,
  identity: { ...PLACE, becomes: 'known', id: 'id-1' },
});
const DENIED = settledRow(1, 'denied', { identity: { ...PLACE, becomes: 'given-back', id: '' } });

type Bench = {
  /** Keeps the scripts that it is sent. */
  readonly redis: Redis;
  readonly sent: Command[];
  readonly keys: LedgerKeys;
  readonly epoch: LedgerEpoch;
  readonly store: RunStore;
  readonly run: Run;
  readonly ledger: ChunkLedger;
};

/** A running run of one chunk with two rows. */
async function startBench(): Promise<Bench> {
  const keys = ownKeys();
  const sent: Command[] = [];
  const redis = keeping(own().redis, sent);
  const epoch = await openTestEpoch(redis, keys);
  const store = createRunStore(redis, keys, () => NOW);
  const { id } = await store.register(newRun({ rows: 2 }));
  await store.transition(id, 'running', null);
  const run = await store.get(id);
  if (run === null) throw new Error('the run is gone');
  const journal = memoryJournal();
  const ledger = createChunkLedger({ epoch, keys, journal, run, probeMs: 1_000, now: () => NOW });
  return { redis, sent, keys, epoch, store, run, ledger };
}

function keeping(redis: Redis, sent: Command[]): Redis {
  return new Proxy(redis, {
    get(target, name) {
      if (name === 'sendCommand')
        return (command: Command) => {
          if (command.name === 'eval') sent.push(command);
          return target.sendCommand(command);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const raw = (bench: Bench, lua: string, args: readonly (string | number)[], names: readonly string[] = []) =>
  script(lua, z.unknown())(bench.redis, [bench.keys.epoch, ...names], args);
const replayOf = ({ redis, keys }: Bench) => createReplay(redis, keys);
const serverOf = async ({ redis, keys }: Bench) => (await redis.hget(keys.epoch, 'server')) ?? '';
/** Answers the server run for which the epoch was open. */
const closedGate = async (bench: Bench) => {
  const server = await serverOf(bench);
  await bench.redis.hset(bench.keys.epoch, 'server', 'an-earlier-one');
  return server;
};
const holdLease = ({ store, run }: Bench) => store.holdLease(run.id, 'me', 60_000);
const claim = ({ epoch, keys, run }: Bench) =>
  claimKeys(epoch, keys, {
    run: run.id,
    space: { name: 'subclient', ofRun: false },
    rows: [{ row: 1, key: 'K1' }],
  });

/** What a second run does, the answer and what it leaves apart. */
type Again = 'nothing else' | 'answers otherwise' | 'counts again';

type Case = {
  readonly name: string;
  readonly lua: string;
  readonly again: Again;
  readonly prepare?: (bench: Bench) => Promise<unknown>;
  /** Sends the script. */
  readonly act: (bench: Bench) => Promise<unknown>;
};

const intend = ({ ledger }: Bench) => ledger.intend(INTENT);
const ROW: Row = { kind: 'cells', row: 1, line: 2, cells: ['K1'] };

const OF_ROWS: readonly Case[] = [
  { name: 'CLAIM', lua: CLAIM, again: 'nothing else', act: claim },
  { name: 'TAKE', lua: TAKE, again: 'nothing else', act: ({ ledger }) => ledger.take(1) },
  { name: 'LOOK_UP', lua: LOOK_UP, again: 'nothing else', act: ({ ledger }) => ledger.readKey(PLACE) },
  { name: 'INTEND', lua: INTEND, again: 'nothing else', act: intend },
  {
    name: 'WITHDRAW',
    lua: WITHDRAW,
    // It was taken back already.
    again: 'answers otherwise',
    prepare: intend,
    act: ({ ledger }) => ledger.withdraw(INTENT),
  },
  {
    name: 'SETTLE',
    lua: SETTLE,
    // The row has its outcome already: this one is not recorded.
    again: 'answers otherwise',
    prepare: intend,
    act: ({ ledger }) => ledger.settle(CREATED),
  },
  {
    name: 'UNSETTLE',
    lua: UNSETTLE,
    again: 'answers otherwise',
    prepare: ({ ledger }) => ledger.settle(DENIED),
    act: ({ ledger }) => ledger.unsettle([DENIED], 'permission'),
  },
  {
    name: 'CLOSE',
    lua: CLOSE,
    again: 'nothing else',
    prepare: ({ ledger }) => ledger.settleAll([settledRow(1, 'created'), settledRow(2, 'rejected')]),
    act: ({ ledger }) => ledger.close(1, 2),
  },
  {
    name: 'RESOLVE',
    lua: RESOLVE,
    again: 'nothing else',
    prepare: ({ ledger }) => ledger.settle(settledRow(1, 'in-doubt')),
    act: ({ redis, keys, run }) => {
      const decisions = [{ row: 1, decision: { kind: 'created', id: 'sub-1' } }] as const;
      return resolveRows(redis, keys, { run, by: 'ann', at: NOW, decisions });
    },
  },
  // A place on the time line goes unused: the rate is kept, and not reached for a moment.
  { name: 'RESERVE', lua: RESERVE, again: 'counts again', act: ({ ledger }) => ledger.reserve(1, 1) },
  {
    name: 'FAILURE',
    lua: FAILURE,
    // One failure counts as two: the breaker opens sooner.
    again: 'counts again',
    act: ({ redis, keys }) => {
      const attempt = { mark: INTENT.mark, isFailure: true, holdMs: 0, cause: 'away' };
      return createSharedBreaker(redis, keys).failed(attempt);
    },
  },
];

const OF_RUNS: readonly Case[] = [
  { name: 'REGISTER', lua: REGISTER, again: 'nothing else', act: ({ store }) => store.register(newRun()) },
  {
    name: 'REGISTER_RERUN',
    lua: REGISTER_RERUN,
    again: 'nothing else',
    act: async ({ redis, keys, run }) => {
      const rerun = newRun({ rows: 1 });
      await createRunInput(redis, keys, rerun.id).write(1, [ROW]);
      return createRerunStore(redis, keys, run.id).register(rerun, { latest: '', rows: [1] });
    },
  },
  {
    name: 'TRANSITION',
    lua: TRANSITION,
    // The run is in that state already: whoever asked is told that it did not move.
    again: 'answers otherwise',
    act: ({ store, run }) => store.transition(run.id, 'paused', 'requested'),
  },
  { name: 'HOLD_LEASE', lua: HOLD_LEASE, again: 'nothing else', act: holdLease },
  {
    name: 'DROP_LEASE',
    lua: DROP_LEASE,
    again: 'answers otherwise',
    prepare: holdLease,
    act: ({ store, run }) => store.dropLease(run.id, 'me'),
  },
];

const OF_REPLAY: readonly Case[] = [
  {
    name: 'RESTORE',
    lua: RESTORE,
    // The record is there already.
    again: 'answers otherwise',
    act: async (bench) => {
      const { record } = bench.keys.run(bench.run.id);
      const fields = restorableFields(await bench.redis.hgetall(record));
      await bench.redis.del(record);
      return replayOf(bench).run(bench.run.id, fields);
    },
  },
  {
    name: 'ADDED',
    lua: ADDED,
    again: 'nothing else',
    act: (bench) => replayOf(bench).added(bench.run.id, 1, 'm'),
  },
  {
    name: 'REPLAY_SETTLED',
    lua: REPLAY_SETTLED,
    again: 'answers otherwise',
    act: (bench) => replayOf(bench).settled(bench.run.id, [settleEntry(bench.keys, CREATED)]),
  },
  {
    name: 'REPLAY_INTENT',
    lua: REPLAY_INTENT,
    again: 'nothing else',
    act: (bench) => {
      const bucket = `${bench.keys.identity('subclient')}a`;
      return replayOf(bench).intended(bench.run.id, [[1, 1, INTENT.mark, bucket, 'd']]);
    },
  },
];

const OF_WORKERS: readonly Case[] = [
  {
    name: 'LOOK',
    lua: LOOK,
    again: 'nothing else',
    // An epoch in which nobody gives heartbeats.
    act: ({ redis, keys }) => script(LOOK, z.unknown())(redis, [`${keys.epoch}-new`], ['m']),
  },
  {
    name: 'REPLAYING',
    lua: REPLAYING,
    again: 'nothing else',
    act: async (bench) => raw(bench, REPLAYING, ['m', await closedGate(bench)]),
  },
  {
    name: 'CHECK_IN',
    lua: CHECK_IN,
    // A worker may be new: the others ask once more who there is.
    again: 'counts again',
    act: async (bench) => raw(bench, CHECK_IN, ['m', 0, await serverOf(bench), 0]),
  },
  // Likewise.
  {
    name: 'DEREGISTER',
    lua: DEREGISTER,
    again: 'counts again',
    act: (bench) => raw(bench, DEREGISTER, ['m', 0]),
  },
  {
    name: 'OPEN_WITHOUT',
    lua: OPEN_WITHOUT,
    again: 'nothing else',
    act: async (bench) => {
      const server = await closedGate(bench);
      return raw(bench, OPEN_WITHOUT, [server, 'm'], [bench.keys.run(bench.run.id).record]);
    },
  },
  {
    name: 'HEARTBEAT',
    lua: HEARTBEAT,
    again: 'nothing else',
    act: ({ epoch }) => epoch.call(inEpoch(HEARTBEAT, z.unknown()), [], [60_000, 60_000, 60_000, '']),
  },
  {
    name: 'UNAWARE',
    lua: UNAWARE,
    again: 'nothing else',
    act: ({ redis, keys, epoch }) =>
      registerWorker(redis, keys.epoch, { worker: epoch.worker, isGone: () => true }),
  },
];

const CASES = [...OF_ROWS, ...OF_RUNS, ...OF_REPLAY, ...OF_WORKERS];

test.each(CASES)(
  '$name sent twice, as after a lost reply: $again',
  async ({ name, lua, again, act, prepare }) => {
    const bench = await startBench();
    await prepare?.(bench);
    // Sent as text, by which it is told.
    await own().redis.script('FLUSH');
    bench.sent.length = 0;
    await act(bench);
    const command = bench.sent.find(({ args }) => String(args[0]).endsWith(lua));
    if (command === undefined) throw new Error(`${name} was not sent`);
    const first = { answer: known(await command.promise), left: await everything(bench) };
    const second = { answer: known(await resent(command)), left: await everything(bench) };
    // What it leaves is what must not change: only what counts attempts may.
    if (again !== 'counts again') expect(second.left).toEqual(first.left);
    else expect(second.left).not.toEqual(first.left);
    if (again === 'nothing else') expect(second.answer).toEqual(first.answer);
    if (again === 'answers otherwise') expect(second.answer).not.toEqual(first.answer);
  },
);

test('no script is left out', async () => {
  const names = new Set<string>();
  for (const entry of await readdir('src', { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.ts')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    for (const [, name = ''] of text.matchAll(/\b(?:script|inEpoch)\(\s*([A-Z][A-Z_]+)\b/g)) names.add(name);
  }
  names.delete('IN_EPOCH');
  expect([...names].sort()).toEqual([...new Set(CASES.map(({ name }) => name))].sort());
});

function resent({ args }: Command): Promise<unknown> {
  const again = new Command('eval', [...args], { replyEncoding: 'utf8' });
  own().redis.sendCommand(again);
  return again.promise;
}

/** Times go on by themselves. */
function known(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/\b\d{13}\b/g, 'ms'));
}

/** A worker's heartbeats. */
const SIGN = /^(m:|b:|k:|w:|swept$)/;

/** All that the ledger of the bench holds. */
async function everything({ keys }: Bench): Promise<Readonly<Record<string, unknown>>> {
  const { redis } = own();
  const root = keys.epoch.slice(0, -'gate'.length);
  const all: Record<string, unknown> = {};
  for (const name of (await redis.keys('*')).sort())
    if (name.startsWith(root)) all[name] = await contentOf(name);
  return all;
}

async function contentOf(key: string): Promise<unknown> {
  const { redis } = own();
  const type = await redis.type(key);
  if (type === 'string') return redis.get(key);
  if (type === 'zset') return redis.zrange(key, '0', '-1', 'WITHSCORES');
  const fields = Object.entries(await redis.hgetall(key));
  return Object.fromEntries(fields.filter(([field]) => !key.endsWith('gate') || !SIGN.test(field)));
}
