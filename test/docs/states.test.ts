/** Holds docs/states.md against the engine: in each state everything is tried, and only arrows lead out of it. */
import { isDeepStrictEqual } from 'node:util';
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { LedgerKeys } from '../../src/engine/ledger/keys.ts';
import CHECK_IN from '../../src/engine/ledger/lua/check-in.lua';
import DEREGISTER from '../../src/engine/ledger/lua/deregister.lua';
import HEARTBEAT from '../../src/engine/ledger/lua/heartbeat.lua';
import LOOK from '../../src/engine/ledger/lua/look.lua';
import { intentMark, type Mark } from '../../src/engine/ledger/mark.ts';
import { protocol } from '../../src/engine/ledger/protocol.ts';
import { noteDoubts, resolveRows } from '../../src/engine/ledger/resolve.ts';
import { script } from '../../src/engine/ledger/script.ts';
import { whenVerified } from '../../src/engine/ledger/verified.ts';
import { SUSPECT_AFTER_MS } from '../../src/engine/recovery/epoch.ts';
import { createReplay } from '../../src/engine/recovery/replay.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { type Outcome, wasAccepted } from '../../src/model/outcome.ts';
import type { Decision, KeptSighting } from '../../src/model/resolution.ts';
import { RUN_TRANSITIONS } from '../../src/model/run.ts';
import { filesBelow, textOf } from '../house/source-files.ts';
import { grantOf, intentOn, runningRun, settleEntries, settlementsOf } from '../support/ledger.ts';
import { useOwnRedis } from '../support/redis.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { ownKeys } from '../support/runs.ts';
import { doubtOf, settledRow } from '../support/settled-row.ts';
import { restart, setEpoch, setRecord } from '../support/stored.ts';
import { blocksIn } from './blocks.ts';

const own = useOwnRedis();
const DOCUMENT = textOf('docs/states.md');
const PICTURES = blocksIn(DOCUMENT, 'mermaid').map(({ text }) => text);
const [ROW = [], WORKER = [], EPOCH = [], RUN = []] = PICTURES.map(arrowsIn);

/** One for each label of an arrow. */
function arrowsIn(picture: string): readonly string[] {
  const lines = [...picture.matchAll(/^ *(\w+ --> \w+)(?:: (.+))?$/gm)];
  const arrows = lines.flatMap(([, arrow = '', labels]) =>
    labels === undefined ? arrow : labels.split(', ').map((label) => `${arrow}: ${label}`),
  );
  return arrows.sort();
}

type Named<Of> = readonly [name: string, act: (of: Of) => Promise<unknown>];
type Machine<Of> = {
  /** Each with what brings it about. */
  readonly states: ReadonlyArray<Named<Of>>;
  readonly moves: (state: string) => ReadonlyArray<Named<Of>>;
  readonly begin: () => Of | Promise<Of>;
  /** The state's name, and what else may change within it. */
  readonly read: (of: Of) => Promise<readonly [name: string, detail?: unknown]>;
};

/** What becomes of each state by each move. */
async function arrowsOf<Of>({ states, moves, begin, read }: Machine<Of>): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (const [name, reach] of states) {
    for (const [label, move] of moves(name)) {
      const of = await begin();
      await reach(of);
      const before = await read(of);
      expect(before[0]).toBe(name);
      await move(of);
      const after = await read(of);
      if (!isDeepStrictEqual(after, before)) seen.add(`${name} --> ${after[0]}: ${label}`);
    }
  }
  return [...seen].sort();
}

test('each label has a line in a table, and each script that is named is there', () => {
  const told = [...DOCUMENT.matchAll(/^\| ([a-z][a-z, -]*) \|/gm)].flatMap(([, labels = '']) =>
    labels.split(', '),
  );
  const labels = [...ROW, ...WORKER, ...EPOCH].map((arrow) => arrow.replace(/.*: /, ''));
  expect(new Set(told)).toEqual(new Set(['label', ...labels]));
  const scripts = filesBelow('src/engine/ledger/lua');
  const named = DOCUMENT.match(/(?<=`)[\w/-]+\.lua(?=`)/g) ?? [];
  expect(named.filter((name) => !scripts.includes(name))).toEqual([]);
});

const WAYS = ['the watermark of its chunk', 'a mark of its own', 'a chunk that is closed'] as const;

/** A run whose first row is alone in its chunk. */
type Cell = Awaited<ReturnType<typeof runningRun>> & { readonly way: (typeof WAYS)[number] };

/** Takes of three processes: the first that has the chunk, the next, and one that only a journal tells of. */
const [FIRST, NEXT, OTHER] = ['a.1', 'b.1', 'c.1'] as const;
const markOf = (taker: string) => intentMark(taker, 1, 1);

async function grant({ ledger, way, keys, redis }: Cell, taker: string): Promise<unknown> {
  if (way !== WAYS[0]) return grantOf(ledger, intentOn(1, markOf(taker)));
  const { watermark: seen } = await ledger.take(1, [1]);
  const claimed = (await redis.hget(keys.epoch, 'opened')) ?? '';
  const rows = [{ row: 1, identity: null }];
  const range = {
    chunk: 1,
    fencingToken: taker,
    seen,
    from: 0,
    repeatable: false,
    claimed,
    rows,
    outOfOrder: [],
  };
  return ledger.exchange({ ranges: [range] });
}

const settle = ({ ledger }: Cell, outcome: Outcome, mark = markOf(FIRST)) =>
  ledger.settleAll([settledRow(1, outcome, { mark })]);

const replay = ({ redis, keys, id }: Cell) =>
  createReplay(redis, keys).intended(id, [{ chunk: 1, row: 1, mark: markOf(OTHER) }]);

const loseWorker = ({ redis, keys, id }: Cell) => createReplay(redis, keys).possiblySent([id]);

async function decide({ redis, keys, run }: Cell, decision: Decision) {
  const decisions = [{ row: 1, decision }];
  return resolveRows(redis, keys, { run: await run(), by: 'ann', at: new Date(), decisions });
}

/** Reached, with its chunk closed where it may be. */
const ended = (outcome: Outcome, decision?: Decision) => async (cell: Cell) => {
  await grant(cell, FIRST);
  await settle(cell, outcome);
  if (decision !== undefined) await decide(cell, decision);
  if (cell.way === WAYS[2]) expect(await cell.ledger.close(1, 1)).toBe(true);
};

const OUTCOMES: ReadonlyArray<Named<Cell>> = [
  ['InDoubt', ended('in-doubt')],
  ['Accepted', ended('created')],
  ['Ended', ended('rejected')],
  ['NotCreated', ended('in-doubt', { kind: 'not-created' })],
];
const ROWS: ReadonlyArray<Named<Cell>> = [
  ['Unsent', async () => undefined],
  ['PossiblySent', loseWorker],
  ['Intent', (cell) => grant(cell, FIRST)],
  ['Conflicting', async (cell) => [await grant(cell, FIRST), await replay(cell)]],
  ...OUTCOMES,
];

async function readRow({ ledger, redis, keys, run }: Cell): Promise<readonly [string, Mark | undefined]> {
  const { marks, closed, possiblySent } = await ledger.take(1, [1]);
  const [settlement] = closed ? await settlementsOf(redis, keys, await run()) : [];
  const mark = settlement === undefined ? marks.get(1) : ({ kind: 'settled', settlement } as const);
  return [nameOf(mark, possiblySent), mark];
}

function nameOf(mark: Mark | undefined, possiblySent: boolean): string {
  if (mark === undefined) return possiblySent ? 'PossiblySent' : 'Unsent';
  if (mark.kind === 'intent') return mark.text === protocol.conflicting ? 'Conflicting' : 'Intent';
  const { code, outcome } = mark.settlement;
  if (code === 'not_created') return 'NotCreated';
  if (outcome === 'in-doubt') return 'InDoubt';
  return wasAccepted(outcome) ? 'Accepted' : 'Ended';
}

/** The intent that the chunk's next take finds. */
async function foundBy(cell: Cell): Promise<string> {
  const [, mark] = await readRow(cell);
  return mark?.kind === 'intent' ? mark.text : '';
}

async function repeat(cell: Cell) {
  const over = { repeatable: true, expected: await foundBy(cell) };
  await grantOf(cell.ledger, intentOn(1, markOf(NEXT), over));
}

async function replayDoubt({ redis, keys, id }: Cell) {
  const row = settledRow(1, 'in-doubt', { mark: markOf(OTHER) });
  await createReplay(redis, keys).settled(id, settleEntries(keys, [row]));
}

async function note({ redis, keys, run }: Cell) {
  const sighting: KeptSighting = { kind: 'not-found', ids: [], at: '' };
  const found = { note: doubtOf(1, { code: 'found_twice' }), sighting };
  await noteDoubts(redis, keys, { run: await run(), notes: [found] });
}

const ROW_MOVES: ReadonlyArray<Named<Cell>> = [
  ['granted', (cell) => grant(cell, NEXT)],
  ['repeatable', repeat],
  ['retracted', ({ ledger }) => ledger.withdraw({ chunk: 1, row: 1, mark: markOf(FIRST) })],
  ['accepted', (cell) => settle(cell, 'created')],
  ['refused', (cell) => settle(cell, 'rejected')],
  ['unanswered', (cell) => settle(cell, 'in-doubt')],
  ['given-up', (cell) => settle(cell, 'failed', '')],
  ['found', async (cell) => settle(cell, 'in-doubt', await foundBy(cell))],
  ['replayed', replay],
  ['doubted', replayDoubt],
  ['decided', (cell) => decide(cell, { kind: 'created', id: 'id-1' })],
  ['decided', (cell) => decide(cell, { kind: 'not-created' })],
  ['noted', note],
  ['lost', loseWorker],
];

describe('a row', () => {
  test.each(WAYS)('moves along the arrows alone, by %s', async (way) => {
    const states = way === WAYS[2] ? OUTCOMES : ROWS;
    const begin = async () => ({ ...(await runningRun(own().redis, { chunkRows: 1 })), way });
    const arrows = await arrowsOf({ states, moves: () => ROW_MOVES, begin, read: readRow });
    const names = states.map(([name]) => name);
    expect(arrows).toEqual(ROW.filter((arrow) => names.includes(arrow.split(' ')[0] ?? '')));
  });

  test('of a purged run stays in doubt', async () => {
    const cell = { ...(await runningRun(own().redis, { chunkRows: 1 })), way: WAYS[2] };
    await ended('in-doubt')(cell);
    const purged = { by: 'ann', at: '2026-11-21T11:00:00.000Z', isDone: true };
    await setRecord(cell.redis, cell.keys.run(cell.id), { purged });
    await settle(cell, 'created');
    expect((await readRow(cell))[0]).toBe('InDoubt');
  });

  test('has the effects that the page names', () => {
    const [, text = ''] = textOf('src/engine/ledger/lua/parts/record.lua').split(
      'local function effectOnOpen(',
    );
    const effects = (text.split('local function effectOf(')[0] ?? '').match(
      /(?<=(?:return|and|or) ')[a-z-]+(?=')/g,
    );
    const [, told = ''] = /^`effectOf`.*?: (.*?)\n\n/ms.exec(DOCUMENT) ?? [];
    expect(new Set(told.match(/(?<=`)[a-z-]+(?=`)/g))).toEqual(new Set(effects));
  });
});

/** Where `w` is the worker in question, and `o` another. */
type Place = { readonly redis: Redis; readonly keys: LedgerKeys };
const heartbeat = whenVerified(HEARTBEAT, z.unknown());
const checkIn = script(CHECK_IN, z.unknown());
const deregister = script(DEREGISTER, z.unknown());
const look = script(LOOK, z.array(z.union([z.string(), z.number()])));

async function arrive({ redis, keys }: Place, worker: string, of: object = {}): Promise<void> {
  const [server = '', isOpen] = await look(redis, [keys.epoch], [worker, 'begins', 0]);
  const knows = isOpen === 1 ? 'open' : 'counted';
  const others = JSON.stringify({ dead: [], evicted: [], asked: [], ...of });
  await checkIn(redis, [keys.epoch, keys.left], [worker, 1, server, knows, others]);
}

const beat = ({ redis, keys }: Place, worker: string) =>
  heartbeat(redis, [keys.left, keys.epoch], [SUSPECT_AFTER_MS, 60_000, worker, 0, 1, 1]);

async function join(place: Place, worker = 'w'): Promise<void> {
  await arrive(place, worker);
  await beat(place, worker);
}

/** `epoch`: the number of the latest that it knows. */
const leave = ({ redis, keys }: Place, epoch = 0) =>
  deregister(redis, [keys.epoch, keys.left], ['w', 1, epoch]);

async function fallSilent({ redis, keys }: Place): Promise<void> {
  const isHeard = (await redis.hexists(keys.epoch, 'b:w')) === 1;
  if (isHeard) await setEpoch(redis, keys, { heard: { w: Date.now() - 2 * SUSPECT_AFTER_MS } });
}

/** In a closed epoch the other says that of workers. */
async function say(place: Place, of: object): Promise<void> {
  await restart(place.redis, place.keys);
  await arrive(place, 'o', of);
}

const WORKERS: ReadonlyArray<Named<Place>> = [
  ['Absent', async () => undefined],
  ['Absent', async (place) => [await join(place), await fallSilent(place), await beat(place, 'o')]],
  ['Registered', (place) => join(place)],
  ['Suspect', async (place) => [await join(place), await fallSilent(place)]],
  ['Left', async (place) => [await join(place), await leave(place)]],
];

/** Its own: nothing comes of a worker that has left. */
const OWN_MOVES: ReadonlyArray<Named<Place>> = [
  ['check-in', (place) => join(place)],
  ['heartbeat', (place) => beat(place, 'w').catch(() => undefined)],
  ['deregistered', (place) => leave(place)],
  ['missed', (place) => leave(place, 9)],
];
const OTHERS_MOVES: ReadonlyArray<Named<Place>> = [
  ['silence', fallSilent],
  ['evicted', (place) => beat(place, 'o')],
  ['evicted', (place) => say(place, { evicted: ['w'] })],
  ['replayed', (place) => say(place, { dead: ['w'] })],
  ['missed', (place) => say(place, { asked: ['w'] })],
];

async function readWorker({ redis, keys }: Place): Promise<readonly [string]> {
  const [last, heard] = await redis.hmget(keys.epoch, 'm:w', 'b:w');
  if (typeof last === 'string')
    return [Date.now() - Number(heard) < SUSPECT_AFTER_MS ? 'Registered' : 'Suspect'];
  return [(await redis.zscore(keys.left, 'w')) === null ? 'Absent' : 'Left'];
}

test('a worker moves along the arrows alone', async () => {
  const begin = async () => {
    const place = { redis: own().redis, keys: ownKeys() };
    await join(place, 'o');
    return place;
  };
  const moves = (state: string) => (state === 'Left' ? OTHERS_MOVES : [...OWN_MOVES, ...OTHERS_MOVES]);
  expect(await arrowsOf({ states: WORKERS, moves, begin, read: readWorker })).toEqual(WORKER);
});

const opened = async (place: Place) => [await join(place, 'o'), await join(place)];
const closed = async (place: Place) => [await opened(place), await restart(place.redis, place.keys)];
const EPOCHS: ReadonlyArray<Named<Place>> = [
  ['Open', opened],
  ['Closed', closed],
  ['Checking', async (place) => [await closed(place), await arrive(place, 'o')]],
];

test('an epoch moves along the arrows alone, and rows move in an open one', async () => {
  const server = await startRedisServer();
  const { redis } = server;
  const moves: ReadonlyArray<Named<Place>> = [
    ['check-in', (place) => arrive(place, 'w')],
    ['loss', ({ keys }) => look(redis, [keys.epoch], ['w', 'looks', 9])],
    ['restart', async () => [await server.kill(), await server.start()]],
  ];
  const read = async (place: Place): Promise<readonly [string]> => {
    const { epoch } = place.keys;
    const [id = '', isOpen] = await look(redis, [epoch], ['o', 'looks', 0]);
    if (isOpen === 1) return ['Open'];
    expect(await beat(place, 'o').catch(messageOf)).toBe(`${protocol.unverified} server`);
    return [(await redis.hget(epoch, 'checking')) === id ? 'Checking' : 'Closed'];
  };
  const begin = () => ({ redis, keys: ownKeys() });
  expect(await arrowsOf({ states: EPOCHS, moves: () => moves, begin, read })).toEqual(EPOCH);
});

test('a run moves along the arrows alone', () => {
  const arrows = Object.entries(RUN_TRANSITIONS).flatMap(([from, to]) =>
    to.map((one) => `${from} --> ${one}`),
  );
  expect(RUN).toEqual(arrows.sort());
});
