import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import IN_EPOCH from '../../../src/engine/ledger/lua/parts/in-epoch.lua';
import { whenVerified } from '../../../src/engine/ledger/verified.ts';
import type { LedgerEpoch } from '../../../src/engine/recovery/epoch.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import {
  type EpochEdges,
  lastSequences,
  type ReplayScope,
  STILL,
  verifyLedger,
} from '../../../src/engine/recovery/verification.ts';
import { createRecentMap } from '../../../src/lib/recent.ts';
import { type Deferred, deferred } from '../../support/deferred.ts';
import { openTestEpoch, quietEdges } from '../../support/epoch.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { type RedisServer, startRedisServer } from '../../support/redis-server.ts';
import { ownKeys } from '../../support/runs.ts';
import {
  copyOf,
  evict,
  forgetLeft,
  lose,
  restart,
  setEpoch,
  setRecord,
  setText,
  signOff,
} from '../../support/stored.ts';
import { until } from '../../support/until.ts';

const own = useOwnRedis();

/** Writes down in Redis that it was carried out. */
const carryOut = whenVerified(`${IN_EPOCH}\nreturn call('RPUSH', KEYS[1], ARGV[1])`, z.number());
const anything = z.unknown();

/** Writes down under which number it was carried out, and as what. */
const numbered = whenVerified(
  `${IN_EPOCH}\nreturn call('RPUSH', KEYS[1], sequence .. ' ' .. ARGV[1])`,
  z.number(),
);

type Worker = {
  readonly name: string;
  readonly epoch: LedgerEpoch;
  /** What its user was told. */
  readonly notices: string[];
  /** How often it has put its journal back. */
  replays(): number;
  /** Makes its next replays wait. */
  block(): Deferred<readonly string[]>;
  /** Has something carried out on the ledger. */
  work(what: string): Promise<number>;
};

type Place = { readonly redis: Redis; readonly keys: LedgerKeys };

const ownPlace = (): Place => ({ redis: own().redis, keys: ownKeys() });

async function join(name: string, { redis, keys }: Place, over: Partial<EpochEdges> = {}): Promise<Worker> {
  const notices: string[] = [];
  const state: { replays: number; blocked: Deferred<readonly string[]> | null } = {
    replays: 0,
    blocked: null,
  };
  const epoch = await openTestEpoch(redis, keys, {
    worker: name,
    async replay() {
      state.replays += 1;
      return (await state.blocked?.promise) ?? [];
    },
    onNotice: (text) => void notices.push(text),
    ...over,
  });
  return {
    name,
    epoch,
    notices,
    replays: () => state.replays,
    block() {
      state.blocked = deferred();
      return state.blocked;
    },
    work: (what) => epoch.call(carryOut, [doneKey(keys)], [what]),
  };
}

const doneKey = (keys: LedgerKeys) => `${keys.epoch}:done`;
const done = ({ redis, keys }: Place) => redis.lrange(doneKey(keys), 0, -1);
const hash = ({ redis, keys }: Place) => redis.hgetall(keys.epoch);

const letGo = ({ redis, keys }: Place, worker: string) => evict(redis, keys, worker);

/** Another run of the server than the one that the ledger was verified for. */
const restarted = ({ redis, keys }: Place) => restart(redis, keys);

async function ownServer(): Promise<Place & { readonly server: RedisServer }> {
  const server = await startRedisServer();
  return { server, redis: server.redis, keys: ownKeys() };
}

/** A connection whose end is a process's death: the worker doesn't leave. */
function mortal({ redis, keys }: Place): Place & { die(): void } {
  const connection = redis.duplicate();
  connection.on('error', () => undefined);
  onTestFinished(() => connection.disconnect());
  return { redis: connection, keys, die: () => connection.disconnect() };
}

describe('joining', () => {
  test('a new ledger is open at once, verified for this run of the server', async () => {
    const place = ownPlace();
    const a = await join('a', place);
    expect(await a.work('a1')).toBe(1);
    const [, server = ''] = /run_id:(\w+)/.exec(await place.redis.info('server')) ?? [];
    // Its work came after the first heartbeat; what the server had not known yet was sent twice.
    expect(await hash(place)).toMatchObject({ server, 'm:a': expect.stringMatching(/^[2-4]$/) });
    expect([a.epoch.recoveries(), a.notices]).toEqual([0, []]);
  });

  test('a worker that comes to a ledger not yet verified again replays, and waits for the others', async () => {
    const place = ownPlace();
    const a = await join('a', place);
    const blocked = a.block();
    await restarted(place);
    const joining = join('b', place);
    await until(async () => (await hash(place))['c:b'] !== undefined);
    const pending = a.work('a1');
    await until(() => a.replays() === 2);
    expect(await done(place)).toEqual([]);
    blocked.resolve([]);
    const b = await joining;
    await pending;
    expect([a.replays(), b.replays(), a.epoch.recoveries(), b.epoch.recoveries()]).toEqual([2, 1, 1, 0]);
  });

  test('a former master that lived on carries nothing out before all who know a later epoch have come back', async () => {
    const place = ownPlace();
    const [a, b] = [await join('a', place), await join('b', place)];
    const former = await hash(place);
    const goBack = await copyOf(place.redis, place.keys.epoch);
    await restarted(place);
    await Promise.all([a.work('a1'), b.work('b1')]);
    const blocked = b.block();
    await goBack();
    // Of its own commands none is missing there: only the number of the epoch tells.
    await setEpoch(place.redis, place.keys, { sequences: { a: 1_000 } });
    const pending = a.work('a2');
    await until(async () => (await hash(place))['c:a'] !== undefined);
    expect(await done(place)).not.toContain('a2');
    blocked.resolve([]);
    await Promise.all([pending, b.work('b2')]);
    expect(Number((await hash(place)).number)).toBe(Number(former.number) + 2);
  });

  test('a script that Redis refuses for another reason fails, and is not asked again', async () => {
    const place = ownPlace();
    const a = await join('a', place);
    const refused = whenVerified(`${IN_EPOCH}\nreturn redis.error_reply('NO such thing')`, anything);
    await expect(a.epoch.call(refused, [], [])).rejects.toThrow('NO such thing');
    expect(await a.work('a1')).toBe(1);
  });
});

describe('a server that was started again', () => {
  test('carries nothing out before every worker has put its journal back and checked in', async () => {
    const place = await ownServer();
    const [a, b] = await Promise.all([join('a', place), join('b', mortal(place))]);
    const [first, second] = [a.replays(), b.replays()];
    await Promise.all([a.work('a1'), b.work('b1')]);
    const blocked = b.block();
    await place.server.kill();
    await place.server.start();
    const pending = [a.work('a2'), b.work('b2')];
    await until(async () => b.replays() > second && (await hash(place))['c:a'] !== undefined);
    expect((await done(place)).sort()).toEqual(['a1', 'b1']);
    blocked.resolve([]);
    await Promise.all(pending);
    expect((await done(place)).sort()).toEqual(['a1', 'a2', 'b1', 'b2']);
    expect([a.replays() - first, b.replays() - second]).toEqual([1, 1]);
    expect([a.epoch.recoveries(), b.epoch.recoveries()]).toEqual([1, 1]);
  });

  test('a worker that works for nobody finds out by itself, and others need not wait for its next row', async () => {
    const place = ownPlace();
    const [a, b] = [await join('a', place), await join('b', place)];
    await restarted(place);
    await a.work('a1');
    expect(b.epoch.recoveries()).toBeLessThanOrEqual(1);
    await until(() => b.epoch.recoveries() === 1);
  });

  test('a replay that fails fails what was asked for; the next one tries again', async () => {
    const place = ownPlace();
    const box = { fails: false };
    const a = await join('a', place, {
      async replay() {
        if (box.fails) throw new Error('the journal can not be read');
        return [];
      },
    });
    box.fails = true;
    await restarted(place);
    await expect(a.work('a1')).rejects.toThrow('the journal can not be read');
    box.fails = false;
    expect(await a.work('a2')).toBe(1);
  });
});

describe('runs are counted', () => {
  test('again where something was recorded meanwhile', async () => {
    const place = ownPlace();
    const answers = [true, false, true];
    const a = await join('a', place, { recount: async () => answers.shift() ?? true });
    await restarted(place);
    await a.work('a1');
    expect(answers).toEqual([]);
  });

  test('by nobody any more once another worker, which counted too, has opened the ledger', async () => {
    const place = ownPlace();
    const counts: string[] = [];
    const a = await join('a', place, {
      async recount() {
        const [server] = counts;
        counts.push((await hash(place)).checking ?? '');
        if (server === undefined) return true;
        await setEpoch(place.redis, place.keys, { server });
        return false;
      },
    });
    await restarted(place);
    expect(await a.work('a1')).toBe(1);
    expect(counts).toHaveLength(2);
  });
});

describe('a server that was emptied', () => {
  test('is closed until workers that are still connected have put their journals back', async () => {
    const place = ownPlace();
    const connections = ['a'];
    const a = await join('a', place, { connected: async () => connections });
    const b = await join('b', place);
    connections.push('b');
    await Promise.all([a.work('a1'), b.work('b1')]);
    const blocked = b.block();
    const before = b.replays();
    await place.redis.flushall();
    const pending = a.work('a2');
    await until(async () => (await hash(place))['c:a'] !== undefined);
    expect([await hash(place), await done(place)]).toMatchObject([{ 'm:b': '0' }, []]);
    const other = b.work('b2');
    await until(() => b.replays() > before);
    expect(await done(place)).toEqual([]);
    blocked.resolve([]);
    await Promise.all([pending, other]);
    expect((await done(place)).sort()).toEqual(['a2', 'b2']);
  });

  test('is closed until workers that were heard of before have, though they are not connected', async () => {
    const place = ownPlace();
    const a = await join('a', place);
    const elsewhere = mortal(place);
    await join('b', elsewhere);
    // The other's name is learnt with the second heartbeat at the latest.
    const first = (await hash(place))['b:a'];
    await until(async () => (await hash(place))['b:a'] !== first);
    const second = (await hash(place))['b:a'];
    await until(async () => (await hash(place))['b:a'] !== second);
    elsewhere.die();
    await place.redis.flushall();
    const pending = a.work('a1');
    await until(async () => (await hash(place))['c:a'] !== undefined);
    expect([await hash(place), await done(place)]).toMatchObject([{ 'm:b': '0' }, []]);
    await join('b', place);
    await pending;
    expect(await done(place)).toEqual(['a1']);
  }, 15_000);
});

describe('a worker that does not come', () => {
  const RUNS = {
    vouched: { id: 'vouched', added: '7', chunks: '90' },
    // Another may have read on since, and Redis may have lost that.
    read: { id: 'read', added: '7', chunks: '90' },
    // On another server run.
    former: { id: 'former', added: '7', vouched: 'f00d 1', chunks: '90' },
    // On a master that lived on, before a later epoch.
    earlier: { id: 'earlier', added: '7', chunks: '90' },
    nobodys: { id: 'nobodys', chunks: '90' },
    worse: { id: 'worse', added: '7', suspect: '20', chunks: '90' },
  };

  /** A worker `a` beside one, `b`, that is dead for good; records of unfinished runs lie beside the epoch. */
  async function leftAlone(graceMs: number, over: Partial<EpochEdges> = {}) {
    const place = ownPlace();
    const k = (run: string) => place.keys.run(run);
    for (const [run, fields] of Object.entries(RUNS)) await setRecord(place.redis, k(run), fields);
    const dead = mortal(place);
    const replay = createReplay(place.redis, place.keys);
    const doubt = () => replay.possiblySent(Object.keys(RUNS));
    const a = await join('a', place, { graceMs, doubt, ...over });
    const b = await join('b', dead);
    await Promise.all([a.work('a1'), b.work('b1')]);
    dead.die();
    await replay.vouched('earlier');
    await setEpoch(place.redis, place.keys, { number: Number((await hash(place)).number ?? 0) + 1 });
    for (const run of ['vouched', 'worse']) await replay.vouched(run);
    const possiblySent = (run: string) => place.redis.hget(k(run).record, 'suspect');
    return {
      place,
      a,
      possiblySent,
      allPossiblySent: () => Promise.all(Object.keys(RUNS).map(possiblySent)),
    };
  }

  test('is waited for as long as the grace lasts; then the ledger opens, and rows that may be its are possibly sent', async () => {
    const { place, a, allPossiblySent } = await leftAlone(1_500);
    await restarted(place);
    const began = performance.now();
    const pending = a.work('a2');
    await until(async () => (await hash(place))['c:a'] !== undefined);
    expect(await allPossiblySent()).toEqual([null, null, null, null, null, '20']);
    await pending;
    expect(performance.now() - began).toBeGreaterThan(1_400);
    // All chunks, but where the one who hands them out vouches for how far it came.
    expect(await allPossiblySent()).toEqual(['7', '90', '90', '90', '90', '20']);
    expect(await hash(place)).not.toHaveProperty('m:b');
    expect(a.notices.slice(-2)).toEqual([
      expect.stringMatching(/^Waiting .* other workers .*: b\.$/),
      'Workers that are gone did not check in: rows that may be theirs are in doubt (b).',
    ]);
  });

  test('and whose journal another worker had at hand is not waited for, and nothing is possibly sent', async () => {
    const { place, a, allPossiblySent } = await leftAlone(60_000);
    a.block().resolve(['b']);
    await restarted(place);
    await a.work('a2');
    expect(await allPossiblySent()).toEqual([null, null, null, null, null, '20']);
    expect(await hash(place)).not.toHaveProperty('m:b');
  });

  test('and may live, with its journal at hand, has it put back for it after the grace, and nothing is possibly sent', async () => {
    const replay = async ({ suspects }: ReplayScope) => suspects.filter((other) => other === 'b');
    const { place, a, allPossiblySent } = await leftAlone(1_500, { replay });
    await restarted(place);
    const began = performance.now();
    await a.work('a2');
    expect(performance.now() - began).toBeGreaterThan(1_400);
    expect(await allPossiblySent()).toEqual([null, null, null, null, null, '20']);
    // It may come again and do more: it is not remembered as one that has left.
    expect(Object.keys(await hash(place)).filter((field) => field.endsWith(':b'))).toEqual([]);
    expect(a.notices.at(-1)).toMatch(/their journals are here: put back for them \(b\)\.$/);
  });

  test('and is killed while it is waited for has its journal put back then, and nothing is possibly sent', async () => {
    const { scopes, dead, replay } = asksFor(() => ['b']);
    const { place, a, allPossiblySent } = await leftAlone(60_000, {
      replay,
      isDead: (other) => dead.has(other),
    });
    await restarted(place);
    const before = scopes.length;
    const pending = a.work('a2');
    await until(async () => (await hash(place)).checking !== undefined);
    expect(scopes.length - before).toBe(1);
    dead.add('b');
    await pending;
    expect(scopes.slice(before + 1)).toEqual([
      { own: false, isWhole: false, suspects: [], isKeptOut: expect.any(Function) },
    ]);
    expect(await allPossiblySent()).toEqual([null, null, null, null, null, '20']);
    expect(await hash(place)).not.toHaveProperty('m:b');
    expect(a.notices.filter((text) => text.includes('did not check in'))).toEqual([]);
  });

  /** Replays as they are asked for; workers that are `dead` have their journals put back, where they are at hand. */
  function asksFor(atHand: () => readonly string[]) {
    const scopes: ReplayScope[] = [];
    const dead = new Set<string>();
    const replay = async (scope: ReplayScope) => {
      scopes.push(scope);
      return atHand().filter((worker) => dead.has(worker));
    };
    return { scopes, dead, replay };
  }

  test('in time, but after all, puts its journal back before it goes on', async () => {
    const place = ownPlace();
    const a = await join('a', place, { graceMs: 0 });
    const b = await join('b', place);
    await b.work('b1');
    const before = b.replays();
    await restarted(place);
    await a.work('a1');
    await b.work('b2');
    expect([b.replays() - before, b.epoch.recoveries()]).toEqual([1, 1]);
    expect(await hash(place)).toMatchObject({ 'm:b': expect.any(String) });
  });
});

describe('a worker that takes long to put its journal back', () => {
  /** Sees how often `b` says anew that it is at work; it does so once a second. */
  async function untilSaidSo(place: Place, times: number): Promise<void> {
    const said = new Set<string>();
    await until(async () => {
      const { 'b:b': at } = await hash(place);
      if (at !== undefined) said.add(at);
      return said.size >= times;
    });
  }

  test('is waited for as long as it says so, beyond the grace', async () => {
    const place = ownPlace();
    const [a, b] = [await join('a', place, { graceMs: 2_000 }), await join('b', place)];
    await Promise.all([a.work('a1'), b.work('b1')]);
    const blocked = b.block();
    await restarted(place);
    const pending = a.work('a2');
    await untilSaidSo(place, 5);
    expect((await done(place)).sort()).toEqual(['a1', 'b1']);
    expect(await hash(place)).toMatchObject({ 'm:b': expect.any(String), 'c:a': expect.any(String) });
    blocked.resolve([]);
    await pending;
    expect(a.notices.filter((text) => text.includes('did not check in'))).toEqual([]);
    expect(b.epoch.recoveries()).toBe(1);
  });

  test('and fails at it each time is not waited for for ever', async () => {
    const place = ownPlace();
    let isFailing = false;
    const replay = async () => {
      if (isFailing) throw new Error('EIO');
      return [];
    };
    const a = await join('a', place, { graceMs: 100 });
    const b = await join('b', place, { replay });
    await b.work('b1');
    isFailing = true;
    await restarted(place);
    const pending = a.work('a1').finally(() => {
      isFailing = false;
    });
    while (isFailing) await b.epoch.verify().catch(() => undefined);
    await pending;
    expect(a.notices.at(-1)).toMatch(/did not check in/);
  });
});

test('a worker that leaves while its last sequence number is asked for has lost nothing', async () => {
  const { redis, keys } = ownPlace();
  await setEpoch(redis, keys, { sequences: { w: 7 } });
  let asked = 0;
  const leavesMeanwhile = async <Answer>(answer: Promise<Answer>) => {
    const given = await answer;
    asked += 1;
    if (asked === 1) await signOff(redis, keys, 'w', 1);
    return given;
  };
  const asking: Pick<Redis, 'hget' | 'zrange'> = Object.assign(Object.create(redis), {
    hget: (key: string, field: string) => leavesMeanwhile(redis.hget(key, field)),
    zrange: (key: string) => leavesMeanwhile(redis.zrange(key, '0', '-1')),
  });
  const [last = -1] = await lastSequences({ redis: asking, keys }, ['w']);
  expect(last).toBeGreaterThanOrEqual(7);
});

describe('a Redis put back from a copy of long ago', () => {
  test('has those asked for that this worker has seen since its last command there', async () => {
    const { redis, keys } = ownPlace();
    await restart(redis, keys, { sequences: { a: 5, b: 5 } });
    const seen = createRecentMap<string, number>(9);
    for (const [other, endedAt] of Object.entries({ still: STILL, later: 6, with: 5, before: 4 }))
      seen.set(other, endedAt);
    const stop = new AbortController();
    const memory = { sent: 9, number: 0, recorded: 9, recoveries: 0 };
    // It waits for those it has asked for until it leaves.
    const edges = { ...quietEdges, redis, keys, worker: 'a' };
    const left = verifyLedger(edges, { ...memory, name: '', seen, keptOut: new Set() }, stop.signal);
    await until(async () => (await redis.hget(keys.epoch, 'c:a')) !== null);
    stop.abort();
    await expect(left).rejects.toThrow('leaving');
    const epoch = await redis.hgetall(keys.epoch);
    expect(epoch).toMatchObject({ 'm:still': '0', 'm:later': '0', 'm:with': '0', 'm:b': '5' });
    expect(epoch).not.toHaveProperty('m:before');
  });
});

describe('a worker whose own commands are gone', () => {
  test('puts its own journal back; one whose commands are all there does not', async () => {
    const place = ownPlace();
    const scopes: ReplayScope[] = [];
    const replay = async (scope: ReplayScope) => {
      scopes.push(scope);
      return [];
    };
    const a = await join('a', place, { replay });
    for (const what of ['a1', 'a2']) await a.work(what);
    scopes.length = 0;
    await restarted(place);
    await a.work('a3');
    await restart(place.redis, place.keys, { sequences: { a: 1 } });
    await a.work('a4');
    expect(scopes.map(({ own }) => own)).toEqual([false, true]);
  });

  test('closes the ledger: an older copy was put into this very server, and all put their journals back before anything goes on', async () => {
    const place = ownPlace();
    const [a, b] = [await join('a', place), await join('b', place)];
    for (const what of ['a1', 'a2', 'a3']) await a.work(what);
    const before = { a: a.replays(), b: b.replays() };
    const blocked = a.block();
    await setEpoch(place.redis, place.keys, { sequences: { a: 2 } });
    const pending = a.work('a4');
    await until(() => a.replays() > before.a);
    const others = b.work('b1');
    await until(async () => (await hash(place))['c:b'] !== undefined);
    expect(await done(place)).toEqual(['a1', 'a2', 'a3']);
    blocked.resolve([]);
    await Promise.all([pending, others]);
    expect([a.epoch.recoveries(), b.epoch.recoveries(), b.replays() - before.b]).toEqual([1, 1, 1]);
  });
});

describe('a command whose reply was lost and that runs twice changes nothing', () => {
  test('what a worker had carried out', async () => {
    const place = ownPlace();
    await join('a', place);
    const keys = [doneKey(place.keys), place.keys.epoch];
    const run = (sequence: number) => carryOut(place.redis, keys, ['x', 'a', 0, 0, sequence]);
    for (const sequence of [8, 8, 7]) await run(sequence);
    expect(await hash(place)).toMatchObject({ 'm:a': '8' });
  });
});

test('another worker may be about to take something back for as long as the grace lasts, not for as long as it lives', async () => {
  const place = ownPlace();
  const [a, c] = [await join('a', place, { graceMs: 0 }), await join('c', place)];
  await join('host.b', place);
  // Each has read that it is there.
  await a.work('a1');
  const { 'b:a': before } = await hash(place);
  await until(async () => (await hash(place))['b:a'] !== before && c.epoch.isElsewhere('b'));
  expect([a.epoch.isElsewhere('b'), c.epoch.isElsewhere('c'), c.epoch.isElsewhere('d')]).toEqual([
    false,
    false,
    false,
  ]);
});

describe('leaving', () => {
  test('a worker that was let go does nothing before the living have been told that it is back', async () => {
    const place = ownPlace();
    const [, b] = [await join('a', place), await join('b', place)];
    await b.work('b1');
    const { 'b:a': told } = await hash(place);
    await letGo(place, 'b');
    await b.work('b2');
    expect((await hash(place))['b:a']).not.toBe(told);
    expect(b.notices.at(-1)).toMatch(/^This process had not been heard of for a while/);
  });

  test('nor where Redis failed it while it waited for them', async () => {
    const place = ownPlace();
    const { redis, keys } = place;
    const [, b] = [await join('a', place), await join('b', place)];
    await letGo(place, 'b');
    await setText(redis, keys.left, 'what no heartbeat can be given with');
    await expect(b.work('b1')).rejects.toThrow('WRONGTYPE');
    await lose(redis, keys.left);
    const { 'b:a': told } = await hash(place);
    await b.work('b2');
    expect((await hash(place))['b:a']).not.toBe(told);
  });

  test.each([
    ['is a worker no longer, and nobody waits for it', false],
    ['is waited for where Redis has lost that it has left: so may be what it did', true],
  ])('a worker that has left %s', async (_, isLost) => {
    const place = ownPlace();
    const [b, a] = [await join('b', place), await join('a', place, { graceMs: 1_500 })];
    await a.work('a1');
    await b.epoch.close();
    expect(await hash(place)).not.toHaveProperty('m:b');
    if (isLost) await forgetLeft(place.redis, place.keys, 'b');
    await restart(place.redis, place.keys, { sequences: { a: 0 } });
    await a.work('a2');
    const waits = [expect.stringContaining('Waiting'), expect.stringContaining('did not check in')];
    expect(a.notices.filter((text) => text.includes('orkers'))).toEqual(isLost ? waits : []);
  });

  test('that a worker has left is forgotten when it was let go long ago', async () => {
    const { redis, keys } = ownPlace();
    await signOff(redis, keys, 'long-ago', 1);
    await openTestEpoch(redis, keys);
    expect(await redis.zscore(keys.left, 'long-ago')).toBeNull();
  });

  test('a worker that leaves a ledger which may have lost what it did is still asked for', async () => {
    const place = ownPlace();
    const [a, b] = [await join('a', place, { graceMs: 1_000 }), await join('b', place)];
    await b.work('b1');
    await restarted(place);
    await b.epoch.close();
    await a.work('a1');
    expect(a.notices.at(-1)).toMatch(/did not check in: .* \(b\)\.$/);
  });

  test('a worker that leaves a former master which never knew it is still asked for there', async () => {
    const place = ownPlace();
    const b = await join('b', place);
    await b.work('b1');
    const number = Number((await hash(place)).number ?? 0) - 1;
    await setEpoch(place.redis, place.keys, { number, sequences: { b: null }, heard: { b: null } });
    await b.epoch.close();
    expect(await hash(place)).toMatchObject({ 'm:b': '0' });
    expect(await place.redis.zscore(place.keys.left, 'b')).toBeNull();
  });

  test('a worker that waits for others and is to leave waits no longer', async () => {
    const place = ownPlace();
    const elsewhere = mortal(place);
    const [a] = [await join('a', place), await join('b', elsewhere)];
    elsewhere.die();
    await restarted(place);
    const pending = a.work('a1');
    await until(async () => (await hash(place))['c:a'] !== undefined);
    const refused = expect(pending).rejects.toThrow('leaving');
    await a.epoch.close();
    await refused;
    expect(await done(place)).toEqual([]);
  });
});

test('a script that the server had to be given first is not taken for older than those that overtook it', async () => {
  const place = ownPlace();
  const { epoch, work } = await join('a', place);
  await work('so that the server has the script');
  const key = doneKey(place.keys);
  await lose(place.redis, key);
  await Promise.all([epoch.call(numbered, [key], ['given']), epoch.call(carryOut, [key], ['overtakes'])]);
  const [overtaking, given = ''] = await done(place);
  expect(overtaking).toBe('overtakes');
  expect(given).toMatch(/^\d+ given$/);
  const recorded = (await hash(place))['m:a'];
  expect(Number(given.split(' ')[0])).toBe(Number(recorded));
});
