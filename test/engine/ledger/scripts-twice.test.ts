import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, type Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { keepWriteOff } from '../../../src/engine/ledger/account.ts';
import {
  claimAccounts,
  forgetAccounts,
  knowAccounts,
  shareAccounts,
} from '../../../src/engine/ledger/account-index.ts';
import { knownIds, takeBackAdopted, triedBefore } from '../../../src/engine/ledger/adoption.ts';
import { recordAct, stubOf } from '../../../src/engine/ledger/audit.ts';
import { appending } from '../../../src/engine/ledger/audit-chain.ts';
import { createSharedBreaker } from '../../../src/engine/ledger/breaker.ts';
import type { ChunkLedger } from '../../../src/engine/ledger/chunk-ledger.ts';
import { knowContent, readKeyFields, readKeys } from '../../../src/engine/ledger/key-claims.ts';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import ADDED from '../../../src/engine/ledger/lua/added.lua';
import ADDED_IN_EPOCH from '../../../src/engine/ledger/lua/added-in-epoch.lua';
import AUDIT from '../../../src/engine/ledger/lua/audit.lua';
import CHECK_IN from '../../../src/engine/ledger/lua/check-in.lua';
import CLAIM from '../../../src/engine/ledger/lua/claim.lua';
import CLAIM_ACCOUNTS from '../../../src/engine/ledger/lua/claim-accounts.lua';
import CLOSE from '../../../src/engine/ledger/lua/close.lua';
import COMPLETE_PURGE from '../../../src/engine/ledger/lua/complete-purge.lua';
import DEREGISTER from '../../../src/engine/ledger/lua/deregister.lua';
import DROP_LEASE from '../../../src/engine/ledger/lua/drop-lease.lua';
import EXCHANGE from '../../../src/engine/ledger/lua/exchange.lua';
import FAILURE from '../../../src/engine/ledger/lua/failure.lua';
import FORGET_ACCOUNTS from '../../../src/engine/ledger/lua/forget-accounts.lua';
import FORGET_CONTENT from '../../../src/engine/ledger/lua/forget-content.lua';
import HEARTBEAT from '../../../src/engine/ledger/lua/heartbeat.lua';
import HOLD_LEASE from '../../../src/engine/ledger/lua/hold-lease.lua';
import KNOW_ACCOUNTS from '../../../src/engine/ledger/lua/know-accounts.lua';
import KNOW_CONTENT from '../../../src/engine/ledger/lua/know-content.lua';
import KNOWN_IDS from '../../../src/engine/ledger/lua/known-ids.lua';
import LOOK from '../../../src/engine/ledger/lua/look.lua';
import LOOK_UP from '../../../src/engine/ledger/lua/look-up.lua';
import LOOK_UP_IN_EPOCH from '../../../src/engine/ledger/lua/look-up-in-epoch.lua';
import LOOK_UP_KEYS from '../../../src/engine/ledger/lua/look-up-keys.lua';
import LOOK_UP_KEYS_IN_EPOCH from '../../../src/engine/ledger/lua/look-up-keys-in-epoch.lua';
import POSSIBLY_SENT from '../../../src/engine/ledger/lua/possibly-sent.lua';
import READ_CHUNK from '../../../src/engine/ledger/lua/read-chunk.lua';
import RECOUNT from '../../../src/engine/ledger/lua/recount.lua';
import REGISTER from '../../../src/engine/ledger/lua/register.lua';
import REGISTER_IN_EPOCH from '../../../src/engine/ledger/lua/register-in-epoch.lua';
import REPLACE from '../../../src/engine/ledger/lua/replace.lua';
import REPLAY_INTENT from '../../../src/engine/ledger/lua/replay-intent.lua';
import REPLAY_SETTLED from '../../../src/engine/ledger/lua/replay-settled.lua';
import RESERVE from '../../../src/engine/ledger/lua/reserve.lua';
import RESOLVE from '../../../src/engine/ledger/lua/resolve.lua';
import RESTORE from '../../../src/engine/ledger/lua/restore.lua';
import SHARE_ACCOUNTS from '../../../src/engine/ledger/lua/share-accounts.lua';
import TAKE from '../../../src/engine/ledger/lua/take.lua';
import TAKE_BACK from '../../../src/engine/ledger/lua/take-back.lua';
import TRANSITION from '../../../src/engine/ledger/lua/transition.lua';
import TRY_ADOPTED from '../../../src/engine/ledger/lua/try-adopted.lua';
import VOUCH from '../../../src/engine/ledger/lua/vouch.lua';
import WRITE_OFF from '../../../src/engine/ledger/lua/write-off.lua';
import { readMarks } from '../../../src/engine/ledger/open-chunk.ts';
import { filled } from '../../../src/engine/ledger/protocol.ts';
import { openPurge } from '../../../src/engine/ledger/purge.ts';
import { createRerunStore, createRunInput } from '../../../src/engine/ledger/reruns.ts';
import { resolveRows } from '../../../src/engine/ledger/resolve.ts';
import type { RunStore } from '../../../src/engine/ledger/run-store.ts';
import { script } from '../../../src/engine/ledger/script.ts';
import { whenVerified } from '../../../src/engine/ledger/verified.ts';
import type { LedgerEpoch } from '../../../src/engine/recovery/epoch.ts';
import {
  createReplay,
  noteAdded,
  recountRuns,
  restorableFields,
} from '../../../src/engine/recovery/replay.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import type { Row } from '../../../src/model/row.ts';
import type { Run } from '../../../src/model/run.ts';
import { claimOf, grantOf, intentOn, runningRun, settleEntries } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { newRun } from '../../support/runs.ts';
import { settledRow } from '../../support/settled-row.ts';
import { counted, everythingIn, lose, restart, setRecord } from '../../support/stored.ts';

const own = useOwnRedis();
const NOW = new Date('2026-11-21T11:00:00.000Z');
const PLACE = { space: 'subclient', key: 'K1' };
const ASKED = { space: 'subclient', names: ['K1'] };
const INTENT = intentOn(1, 'i me.1 1.1', { identity: PLACE });
const CREATED = settledRow(1, 'created', { mark: INTENT.mark, identity: PLACE });

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
  const sent: Command[] = [];
  const { run, ...of } = await runningRun(keeping(own().redis, sent));
  return { ...of, sent, run: await run() };
}

function keeping(redis: Redis, sent: Command[]): Redis {
  return new Proxy(redis, {
    get(target, name) {
      if (name === 'sendCommand')
        return (command: Command) => {
          if (command.name === 'eval' || command.name === 'evalsha') sent.push(command);
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
  await restart(bench.redis, bench.keys);
  return server;
};
type Knows = 'open' | 'closed' | 'counted';
const checkIn = (bench: Bench, server: string, knows: Knows) =>
  raw(bench, CHECK_IN, ['m', 0, server, knows, NOBODY], [bench.keys.left]);
const NOBODY = JSON.stringify({ dead: [], evicted: [], asked: [] });
const holdLease = ({ store, run }: Bench) => store.holdLease(run.id, 'me', 60_000);
const claim = (bench: Bench) => claimOf(bench, bench.run.id, [[1, 'K1']]);

/** What a second run does, the answer and what it leaves apart. */
type Again = 'nothing else' | 'answers otherwise' | 'counts again';

/** A script, what sends it, and what has to be done before. */
type Case = readonly [
  name: string,
  again: Again,
  lua: string,
  act: (bench: Bench) => Promise<unknown>,
  prepare?: (bench: Bench) => Promise<unknown>,
];

const intend = ({ ledger }: Bench) => grantOf(ledger, INTENT);
const ROW: Row = { kind: 'cells', row: 1, line: 2, cells: ['K1'] };

const OF_ROWS: readonly Case[] = [
  ['CLAIM', 'nothing else', CLAIM, claim],
  ['TAKE', 'nothing else', TAKE, ({ ledger }) => ledger.take(1, [])],
  [
    'READ_CHUNK',
    'nothing else',
    READ_CHUNK,
    ({ redis, keys, run }) => readMarks(redis, `${keys.run(run.id).chunk}1`, CLEAR),
  ],
  ['LOOK_UP', 'nothing else', LOOK_UP, ({ redis, keys }) => readKeyFields(redis, keys, ASKED)],
  ['LOOK_UP_KEYS', 'nothing else', LOOK_UP_KEYS, ({ redis, keys }) => readKeys(redis, keys, ASKED)],
  ['KNOWN_IDS', 'nothing else', KNOWN_IDS, ({ redis, keys }) => knownIds(redis, keys, 'subclient').next()],
  ['LOOK_UP_IN_EPOCH', 'nothing else', LOOK_UP_IN_EPOCH, ({ ledger }) => ledger.readFields(PLACE)],
  ['LOOK_UP_KEYS_IN_EPOCH', 'nothing else', LOOK_UP_KEYS_IN_EPOCH, ({ ledger }) => ledger.readKey(PLACE)],
  ['EXCHANGE, of intents', 'nothing else', EXCHANGE, intend],
  // It was taken back already.
  [
    'EXCHANGE, of what is taken back',
    'answers otherwise',
    EXCHANGE,
    ({ ledger }) => ledger.withdraw(INTENT),
    intend,
  ],
  // The row has its outcome already: this one is not recorded.
  ['EXCHANGE, of outcomes', 'answers otherwise', EXCHANGE, ({ ledger }) => ledger.settle(CREATED), intend],
  [
    'CLOSE',
    'nothing else',
    CLOSE,
    ({ ledger }) => ledger.close(1, 2),
    ({ ledger }) => ledger.settleAll([settledRow(1, 'created'), settledRow(2, 'rejected')]),
  ],
  [
    'CLOSE, of a run that is wound up',
    'nothing else',
    CLOSE,
    ({ ledger }) => ledger.close(1, 2),
    async ({ ledger, store, run }) => {
      await store.transition(run.id, 'cancelled', null);
      return ledger.settleAll([settledRow(1, 'created'), settledRow(2, 'cancelled')]);
    },
  ],
  [
    'TRY_ADOPTED',
    'nothing else',
    TRY_ADOPTED,
    ({ redis, keys, run }) => triedBefore(redis, keys, { run: 'r', madeBy: run.id, row: 1, id: 'i-1' }),
    ({ redis, keys, run }) => setRecord(redis, keys.run(run.id), { operation: 'subclient.adopt' }),
  ],
  [
    'TAKE_BACK',
    'nothing else',
    TAKE_BACK,
    ({ redis, keys, run }) => {
      const request = { by: 'ann', at: NOW.toISOString(), why: 'wrong' };
      const of = { run, placeOf: () => PLACE, request, rows: null, metCounts: false };
      return takeBackAdopted(redis, keys, of);
    },
    ({ ledger }) => ledger.settle(settledRow(1, 'adopted', { identity: PLACE })),
  ],
  [
    'RESOLVE',
    'nothing else',
    RESOLVE,
    ({ redis, keys, run }) => {
      const decisions = [{ row: 1, decision: { kind: 'created', id: 'sub-1' } }] as const;
      return resolveRows(redis, keys, { run, by: 'ann', at: NOW, decisions });
    },
    ({ ledger }) => ledger.settle(settledRow(1, 'in-doubt')),
  ],
  // A place on the time line goes unused: the rate is kept, and not reached for a moment.
  ['RESERVE', 'counts again', RESERVE, ({ ledger }) => ledger.reserve(1, 1)],
  // One failure counts as two: the breaker opens sooner.
  [
    'FAILURE',
    'counts again',
    FAILURE,
    ({ redis, keys }) => {
      const attempt = { mark: INTENT.mark, isFailure: true, holdMs: 0, cause: 'away' };
      return createSharedBreaker(redis, keys).failed(attempt);
    },
  ],
];

const OF_RUNS: readonly Case[] = [
  ['REGISTER', 'nothing else', REGISTER, ({ store }) => store.register(newRun())],
  [
    'REGISTER_IN_EPOCH',
    'nothing else',
    REGISTER_IN_EPOCH,
    ({ store, epoch }) => store.register(newRun(), epoch),
  ],
  [
    'REGISTER, of a rerun',
    'nothing else',
    REGISTER,
    async ({ redis, keys, run }) => {
      const rerun = newRun({ rows: 1 });
      await createRunInput(redis, keys, rerun.id).write(1, [ROW]);
      return createRerunStore(redis, keys, run.id).register(rerun, { latest: '', rows: [1] });
    },
  ],
  // The run is in that state already: whoever asked is told that it did not move.
  [
    'TRANSITION',
    'answers otherwise',
    TRANSITION,
    ({ store, run }) => store.transition(run.id, 'paused', 'requested'),
  ],
  [
    'AUDIT',
    'answers otherwise',
    AUDIT,
    ({ redis, keys, run }) => recordAct(redis, keys, { what: 'replied', run: run.id }),
  ],
  // It is told with who wrote them off.
  [
    'WRITE_OFF',
    'answers otherwise',
    WRITE_OFF,
    ({ redis, keys, run }) => {
      const request = { by: 'ann', at: NOW.toISOString(), why: 'totals' };
      const row = { run: run.id, row: 1, line: 2, key: 'K1', outcome: 'failed', code: '' } as const;
      const standing = [{ ...row, isWrittenOff: false, isPurged: false }];
      return keepWriteOff(redis, keys, { of: run, standing, request });
    },
  ],
  ['HOLD_LEASE', 'nothing else', HOLD_LEASE, holdLease],
  [
    'DROP_LEASE',
    'answers otherwise',
    DROP_LEASE,
    ({ store, run }) => store.dropLease(run.id, 'me'),
    holdLease,
  ],
];

const replace = script(REPLACE, z.number());

const OF_REPLAY: readonly Case[] = [
  // The record is there already.
  [
    'RESTORE',
    'answers otherwise',
    RESTORE,
    async (bench) => {
      const { record } = bench.keys.run(bench.run.id);
      const fields = restorableFields(await bench.redis.hgetall(record));
      await lose(bench.redis, record);
      return replayOf(bench).run(bench.run.id, fields);
    },
  ],
  // The numbers are no longer those of before.
  [
    'RECOUNT',
    'answers otherwise',
    RECOUNT,
    async (bench) => {
      await setRecord(bench.redis, bench.keys.run(bench.run.id), counted({ created: 7 }));
      return recountRuns(bench.redis, bench.keys);
    },
  ],
  [
    'REPLACE',
    'nothing else',
    REPLACE,
    async ({ redis, keys, run }) => {
      const { record } = keys.run(run.id);
      await setRecord(redis, { record }, { dataKey: 'old' });
      const stubs = [stubOf(keys, '', 'now')];
      return appending(redis, [keys.audit], (links) =>
        replace(
          redis,
          [record, keys.audit],
          ['dataKey', 'old', 'new', JSON.stringify({ of: '{}', links, stubs })],
        ),
      );
    },
  ],
  ['ADDED', 'nothing else', ADDED, (bench) => replayOf(bench).added(bench.run.id, 1)],
  [
    'ADDED_IN_EPOCH',
    'nothing else',
    ADDED_IN_EPOCH,
    ({ epoch, keys, run }) => noteAdded(epoch, keys, { run: run.id, chunk: 1 }),
  ],
  [
    'REPLAY_SETTLED',
    'answers otherwise',
    REPLAY_SETTLED,
    (bench) => replayOf(bench).settled(bench.run.id, settleEntries(bench.keys, [CREATED])),
  ],
  [
    'REPLAY_INTENT',
    'nothing else',
    REPLAY_INTENT,
    (bench) => {
      const bucket = `${bench.keys.identity('subclient')}a`;
      return replayOf(bench).intended(bench.run.id, [
        { chunk: 1, row: 1, mark: INTENT.mark, key: { bucket, digest: 'd' } },
      ]);
    },
  ],
];

const ONE_ACCOUNT = { row: 1, digests: ['account-no-1name-1'] };
const PURGED = { by: 'me', at: NOW.toISOString(), isDone: true };
const OF_PURGES: readonly Case[] = [
  [
    'COMPLETE_PURGE',
    'nothing else',
    COMPLETE_PURGE,
    ({ redis, keys, run }) => openPurge(redis, keys, run).complete(PURGED),
    ({ redis, keys, run }) => openPurge(redis, keys, run).begin(PURGED),
  ],
  [
    'FORGET_CONTENT',
    'nothing else',
    FORGET_CONTENT,
    async ({ redis, keys, run }) => {
      const purge = { space: 'subclient', form: 'loose', isGuarded: false } as const;
      await openPurge(redis, keys, run).writeBlocks(purge, new AbortController().signal);
    },
  ],
  [
    'KNOW_CONTENT',
    'nothing else',
    KNOW_CONTENT,
    ({ redis, keys }) => knowContent(redis, keys, [{ space: 'subclient', key: 'A', content: 'content1' }]),
  ],
  [
    'CLAIM_ACCOUNTS',
    'answers otherwise',
    CLAIM_ACCOUNTS,
    ({ redis, keys, run, epoch }) =>
      claimAccounts(
        epoch,
        { redis, keys, space: 'counterparty' },
        { run: run.id, comesFrom: () => new Set(), rows: [ONE_ACCOUNT] },
      ),
  ],
  [
    'KNOW_ACCOUNTS',
    'nothing else',
    KNOW_ACCOUNTS,
    ({ redis, keys }) => knowAccounts({ redis, keys, space: 'counterparty' }, 'r', ONE_ACCOUNT),
  ],
  [
    'SHARE_ACCOUNTS',
    'answers otherwise',
    SHARE_ACCOUNTS,
    async ({ redis, keys, run }) => {
      const sharing = { run: run.id, rows: [1], areShared: true, reason: 'asked', at: PURGED.at };
      await shareAccounts({ redis, keys, space: 'counterparty' }, ONE_ACCOUNT.digests, sharing);
    },
  ],
  [
    'FORGET_ACCOUNTS',
    'nothing else',
    FORGET_ACCOUNTS,
    ({ redis, keys, run }) => forgetAccounts({ redis, keys, space: 'counterparty' }, run.id),
    ({ redis, keys, run }) => knowAccounts({ redis, keys, space: 'counterparty' }, run.id, ONE_ACCOUNT),
  ],
];

const OF_WORKERS: readonly Case[] = [
  [
    'LOOK',
    'nothing else',
    LOOK,
    async (bench) => {
      await closedGate(bench);
      return raw(bench, LOOK, ['m', 'begins', 0]);
    },
  ],
  ['CHECK_IN', 'nothing else', CHECK_IN, async (bench) => checkIn(bench, await serverOf(bench), 'open')],
  [
    'DEREGISTER',
    'nothing else',
    DEREGISTER,
    (bench) => raw(bench, DEREGISTER, ['m', 0, 0], [bench.keys.left]),
  ],
  ['VOUCH', 'nothing else', VOUCH, (bench) => replayOf(bench).vouched(bench.run.id)],
  [
    'POSSIBLY_SENT',
    'nothing else',
    POSSIBLY_SENT,
    ({ redis, keys, run }) =>
      script(POSSIBLY_SENT, z.unknown())(redis, [keys.epoch, keys.run(run.id).record], []),
  ],
  [
    'HEARTBEAT',
    'nothing else',
    HEARTBEAT,
    ({ epoch, keys }) => epoch.call(whenVerified(HEARTBEAT, z.unknown()), [keys.left], [60_000, 60_000]),
  ],
];

const CASES = [...OF_ROWS, ...OF_RUNS, ...OF_REPLAY, ...OF_PURGES, ...OF_WORKERS];

test.for(CASES)('%s sent twice, as after a lost reply: %s', async ([name, again, lua, act, prepare]) => {
  const bench = await startBench();
  await prepare?.(bench);
  // Sent as text, by which it is told.
  await own().redis.script('FLUSH');
  bench.sent.length = 0;
  await act(bench);
  const text = textOf(bench, lua);
  // Where its link was to another entry of the audit, it was sent anew, by its hash.
  const command = bench.sent.findLast(({ args }) => args[0] === text || args[0] === shaOf(text));
  if (command === undefined) throw new Error(`${name} was not sent`);
  const first = { answer: known(await command.promise), left: await everything(bench) };
  const second = { answer: known(await resent(command, text)), left: await everything(bench) };
  // What it leaves is what must not change: only what counts attempts may.
  if (again !== 'counts again') expect(second.left).toEqual(first.left);
  else expect(second.left).not.toEqual(first.left);
  if (again === 'nothing else') expect(second.answer).toEqual(first.answer);
  if (again === 'answers otherwise') expect(second.answer).not.toEqual(first.answer);
});

describe('a Redis that is emptied, and is the same server still', () => {
  const MOVED = ['moved'];

  async function closed() {
    const bench = await startBench();
    const server = await closedGate(bench);
    await raw(bench, LOOK, ['m', 'begins', 0]);
    return {
      checkIn: (knows: Knows) => checkIn(bench, server, knows),
      goOnReplaying: () => raw(bench, LOOK, ['m', 'goes on', 0]),
      empty: () => bench.redis.flushdb(),
    };
  }

  test('takes no check-in of a worker that put its journal back before, though that one still says that it replays', async () => {
    const { empty, goOnReplaying, ...worker } = await closed();
    await empty();
    await goOnReplaying();
    expect(await worker.checkIn('closed')).toEqual(MOVED);
    expect(await worker.checkIn('open')).toEqual(MOVED);
  });

  test('is opened by none that waited, had counted, or gave another up', async () => {
    const { empty, ...worker } = await closed();
    expect(await worker.checkIn('closed')).not.toEqual(MOVED);
    await empty();
    expect([await worker.checkIn('closed'), await worker.checkIn('counted')]).toEqual([MOVED, MOVED]);
  });
});

test('no script is left out', async () => {
  const names = new Set<string>();
  for (const entry of await readdir('src', { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.ts')) continue;
    const text = await readFile(join(entry.parentPath, entry.name), 'utf8');
    for (const [, name = ''] of text.matchAll(/\b(?:script|whenVerified)\(\s*([A-Z][A-Z_]+)\b/g))
      names.add(name);
  }
  expect([...names].sort()).toEqual([...new Set(CASES.map(([name]) => name.split(',')[0]))].sort());
});

/** As it was sent, the first time as text. */
function textOf({ sent }: Bench, lua: string): string {
  return sent.map(({ args }) => String(args[0])).find((text) => text.endsWith(filled(lua))) ?? '';
}

function shaOf(text: string): string {
  return hash('sha1', text);
}

function resent({ args }: Command, text: string): Promise<unknown> {
  const again = new Command('eval', [text, ...args.slice(1)], { replyEncoding: 'utf8' });
  own().redis.sendCommand(again);
  return again.promise;
}

/** Times go on by themselves. */
function known(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/\b\d{13}\b/g, 'ms'));
}

/** A worker's heartbeats. */
const SIGN = /^(m:|b:)/;

/** All that the ledger of the bench holds. */
async function everything({ keys }: Bench): Promise<Readonly<Record<string, unknown>>> {
  const all = await everythingIn(own().redis, keys);
  const gate = Object.entries(all[keys.epoch] ?? {}).filter(([field]) => !SIGN.test(field));
  return { ...all, [keys.epoch]: Object.fromEntries(gate) };
}
