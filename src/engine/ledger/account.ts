/**
 * Reads accounts of deliveries. Nothing is kept for them: a row is at the service where its own
 * outcome says so, or that of the row which stands for it (origins.ts), or where another run's row
 * was created under its key.
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import { createRecentMap } from '../../lib/recent.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import type { Account, Standing } from '../../model/account.ts';
import { digestOf } from '../../model/audit.ts';
import { identityByPlace } from '../../model/identity.ts';
import { keyFormSchema } from '../../model/key-form.ts';
import { countSettled, countUnsuccessful, succeeded as isSuccess } from '../../model/outcome.ts';
import { isOver, type Run, requestSchema, type StateRequest } from '../../model/run.ts';
import { type Settlement, UNDONE } from '../../model/settlement.ts';
import type { Origins } from '../../model/source.ts';
import { spaceOf } from '../../operations/operations.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import { readPlaces } from './key-claims.ts';
import { formAt, type LedgerKeys, placeOfDigest } from './keys.ts';
import WRITE_OFF from './lua/write-off.lua';
import { readOrigins } from './origins.ts';
import { packRowNumbers, unpackRowNumbers } from './row-numbers.ts';
import { type RunBrief, readBriefs } from './run-record.ts';
import { areAllClosed, readAll, readOpen } from './run-view.ts';
import { script } from './script.ts';

export type Accounts = ReturnType<typeof openAccounts>;

type Seen = {
  /** Rows with an outcome that is no success, in row order. */
  readonly open: Map<number, Standing>;
  isSettled(row: number): boolean;
  /** Of the rows that stand for none of an earlier run. */
  readonly succeeded: number;
  readonly pending: number;
  /** Of the others: their key was known. */
  readonly skipped: ReadonlySet<number>;
};

/** How the rows of one run stand; `open`: not at the service, of those with an outcome. */
type Stand = Omit<Seen, 'isSettled' | 'succeeded'> & {
  isOwn(row: number): boolean;
  /** Of its own rows. */
  readonly atService: number;
  /** `null`: the row is at the service. */
  of(row: number): Standing | null;
};

type Maker = { readonly maker: RunBrief | undefined; isOwn(row: number): boolean };

/** And so many rows of them that did not succeed, about 200 bytes each. */
const [RUNS_REMEMBERED, ROWS_REMEMBERED] = [300, 60_000];

export type AccountMemory = ReturnType<typeof createAccountMemory>;

/** Of runs that are over: what their rows said, for later looks. */
export function createAccountMemory() {
  const runs = createRecentMap<string, { readonly of: string; readonly seen: Seen }>(RUNS_REMEMBERED);
  const rows = () => [...runs].reduce((sum, [, { seen }]) => sum + seen.open.size, 0);
  return {
    get: runs.get,
    set(run: string, of: string, seen: Seen): void {
      if (seen.open.size > ROWS_REMEMBERED) return;
      runs.set(run, { of, seen });
      while (rows() > ROWS_REMEMBERED) runs.forgetOldest();
    },
  };
}

/** One look at a target's ledger, each part once: for a later one it is opened again. */
type Looking = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  readonly memory: AccountMemory;
  readonly briefs: Map<string, Promise<RunBrief>>;
  readonly stands: Map<string, Promise<Stand>>;
  readonly families: Map<string, Promise<readonly RunBrief[]>>;
  readonly makers: Map<string, Promise<Maker>>;
  readonly origins: Map<string, Promise<Origins>>;
};

export function openAccounts(redis: RedisConnection, keys: LedgerKeys, memory = createAccountMemory()) {
  const known = { briefs: new Map(), stands: new Map(), families: new Map(), makers: new Map() };
  const looking: Looking = { redis, keys, memory, ...known, origins: new Map() };
  return {
    standOf: (id: string) => standOf(looking, id),
    takersOf: (id: string) => takersOf(looking, id),
    accountOf: (id: string) => accountOf(looking, id),
    /** The delivery that a run belongs to: itself where it has rows of its own, or of several. */
    async deliveryOf(id: string): Promise<string> {
      const [root = id, other] = await rootsOf(looking, await briefOf(looking, id), null);
      return other === undefined ? root : id;
    },
    seenTo: (id: string) => seenTo(looking, id),
  };
}

function standOf(looking: Looking, id: string): Promise<Stand> {
  return once(looking.stands, id, () => lookAt(looking, id));
}

function originsOf({ origins, redis, keys }: Looking, run: RunBrief | Run): Promise<Origins> {
  return once(origins, run.id, () => readOrigins(redis, keys, run));
}

function makerOf(looking: Looking, id: string): Promise<Maker> {
  return once(looking.makers, id, async () => {
    const [maker] = await readBriefs(looking.redis, looking.keys, [id]);
    const origins = maker === undefined ? new Map() : await originsOf(looking, maker);
    return { maker, isOwn: ownRows(origins) };
  });
}

/** Runs that have rows of this one, oldest first. */
function takersOf({ families, redis, keys }: Looking, id: string): Promise<readonly RunBrief[]> {
  return once(families, id, async () => {
    const briefs = await readBriefs(redis, keys, await redis.smembers(keys.run(id).takers));
    return briefs.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
  });
}

async function lookAt(looking: Looking, id: string): Promise<Stand> {
  const { redis, keys } = looking;
  const run = await briefOf(looking, id);
  const isOwn = ownRows(await originsOf(looking, run));
  const { open, isSettled, succeeded, pending, skipped } = await rowsOf(looking, run, isOwn);
  const own = () => [...open.keys()].filter(isOwn).length;
  const before = own();

  for (const taker of await takersOf(looking, id)) await take(looking, { taker, run, open });
  const off = await readWrittenOff(redis, keys, id);
  for (const [row, one] of open)
    if (one.run === id && off.has(row)) open.set(row, { ...one, isWrittenOff: isCorrectable(one) });
  await closeByKey(looking, run, open);

  const of = (row: number) => open.get(row) ?? (isSettled(row) ? null : { ...NOTHING_YET, run: id, row });
  return { open, isOwn, skipped, atService: succeeded + before - own(), pending, of };
}

async function rowsOf(
  { redis, keys, memory }: Looking,
  run: RunBrief,
  isOwn: (row: number) => boolean,
): Promise<Seen> {
  const of = JSON.stringify([run.outcomes, run.purged]);
  const known = memory.get(run.id);
  const seen = known?.of === of ? known.seen : await readRows(redis, keys, run, isOwn);
  if (isOver(run)) memory.set(run.id, of, seen);
  return { ...seen, open: new Map(seen.open) };
}

type Taking = { readonly taker: RunBrief; readonly run: RunBrief; readonly open: Map<number, Standing> };

/**
 * What became of rows that a later run took. One that was skipped, since its key was known, says
 * nothing of a duplicate of that key, nor of a row of a group.
 */
async function take(looking: Looking, { taker, run: { id }, open }: Taking): Promise<void> {
  const [{ of, skipped }, origins] = await Promise.all([
    standOf(looking, taker.id),
    originsOf(looking, taker),
  ]);
  const isGrouped = skipped.size > 0 && (await keyTermsOf(looking, id)).group !== undefined;
  for (const [row, from] of origins.get(id) ?? []) {
    const now = of(row);
    const isLike = skipped.has(row) && (isGrouped || ANOTHERS.has(open.get(from)?.code ?? ''));
    if (!open.has(from) || isLost(now) || isLike) continue;
    if (now === null) open.delete(from);
    else open.set(from, now);
  }
}

/**
 * The key of an open row is free for others, also where it is written off, and a row of another run
 * may have created its record: that closes the row, unless it stands for another of this file. A
 * group's rows have one key.
 */
async function closeByKey(looking: Looking, run: RunBrief, open: Map<number, Standing>): Promise<void> {
  const { redis, keys } = looking;
  const space = spaceOf(run.operation);
  const keyed = [...open].filter(([, one]) => one.run === run.id && isNamed(one));
  if (space === null || keyed.length === 0) return;
  const { keyForm: form, group } = await keyTermsOf(looking, run.id);
  if (group !== undefined) return;

  for (const batch of batchesOf(keyed, KEYS_AT_ONCE)) {
    const places = batch.map(([, one]) => {
      const { keyDigest } = one;
      const place = keyDigest === undefined ? undefined : placeOfDigest(keyDigest);
      return { space, key: nameOf(one, run), form, place };
    });
    const states = await readPlaces(redis, keys, places);
    for (const [i, [row, { code }]] of batch.entries()) {
      const state = states[i];
      const isSame = state?.kind === 'known' && state.alike !== true;
      if (isSame && (await isMadeFor(looking, run, { code, made: state }))) open.delete(row);
    }
  }
}

/** What accounts ask of a definition: the whole would take a hundred times as long to check. */
const keyTermsSchema = z.object({ keyForm: keyFormSchema, group: z.string().optional() }).partial();

async function keyTermsOf({ redis, keys }: Looking, run: string): Promise<z.infer<typeof keyTermsSchema>> {
  const definition = await redis.hget(keys.run(run).record, 'definition');
  return keyTermsSchema.parse(JSON.parse(definition ?? '{}'));
}

/** All of a large file at a time would not fit the page's memory. */
const KEYS_AT_ONCE = 5_000;

type Made = { readonly code: string; readonly made: Pick<Standing, 'run' | 'row'> };

/** Later than the run, or by the one that its row waited for; not for another row. */
async function isMadeFor(
  looking: Looking,
  { id, createdAt }: RunBrief,
  { code, made }: Made,
): Promise<boolean> {
  if (made.run === id) return false;
  const { maker, isOwn } = await makerOf(looking, made.run);
  if (maker === undefined || !(maker.createdAt > createdAt || WAITED.has(code))) return false;
  return isOwn(made.row) || !(await familyOf(looking, id)).has(made.run);
}

/** The deliveries that rows of a run come from in the end; `null`: all of its rows. */
async function rootsOf(
  looking: Looking,
  run: RunBrief,
  rows: ReadonlySet<number> | null,
): Promise<Set<string>> {
  const origins = await originsOf(looking, run);
  const hasOwn = rows === null ? ownCount(run) > 0 : [...rows].some(ownRows(origins));
  const roots = new Set(hasOwn ? [run.id] : []);
  for (const [id, pairs] of origins) {
    const froms = pairs.flatMap(([row, from]) => (rows === null || rows.has(row) ? [from] : []));
    const { maker } = await makerOf(looking, id);
    if (froms.length === 0 || maker === undefined) continue;
    for (const root of await rootsOf(looking, maker, new Set(froms))) roots.add(root);
  }
  return roots;
}

async function familyOf(looking: Looking, id: string): Promise<ReadonlyMap<string, RunBrief>> {
  const family = new Map([[id, await briefOf(looking, id)]]);
  for (const one of family.keys()) {
    for (const taker of await takersOf(looking, one)) family.set(taker.id, taker);
  }
  return family;
}

async function accountOf(looking: Looking, id: string): Promise<Account> {
  const brief = await briefOf(looking, id);
  const family = await familyOf(looking, id);
  // Before the rows are counted: of a run that was over by then, each has its outcome.
  const areOver = [...family.values()].every(isOver);
  const runs = [...family.keys()];
  const rows = ownCount(brief);
  const byCounts = isToldByCounts(brief, runs);
  const counts = byCounts ? counted(brief) : countStand(await standOf(looking, id));
  const { atService, writtenOff, takenBack, open, pending } = counts;
  const holds = atService + writtenOff + takenBack + open === rows && (pending === 0 || !areOver);
  return { delivery: id, runs, rows, ...counts, holds };
}

/** Rows of a run that a later one took, whatever became of them, or that are written off. */
async function seenTo(looking: Looking, id: string): Promise<ReadonlySet<number>> {
  const rows = new Set(await readWrittenOff(looking.redis, looking.keys, id));
  for (const taker of await takersOf(looking, id)) {
    const [{ of }, origins] = await Promise.all([standOf(looking, taker.id), originsOf(looking, taker)]);
    for (const [row, from] of origins.get(id) ?? []) if (!isLost(of(row))) rows.add(from);
  }
  return rows;
}

function briefOf({ redis, keys, briefs }: Looking, id: string): Promise<RunBrief> {
  return once(briefs, id, async () => {
    const [brief] = await readBriefs(redis, keys, [id]);
    if (brief === undefined) throw new Error(`run ${id} is gone from the ledger`);
    return brief;
  });
}

export function once<T>(known: Map<string, Promise<T>>, id: string, look: () => Promise<T>): Promise<T> {
  const found = known.get(id) ?? look();
  known.set(id, found);
  return found;
}

/** Their key was another run's then, which may have been registered before. */
const WAITED: ReadonlySet<string> = new Set(['key_held', 'key_in_doubt']);

const off = script(WRITE_OFF, z.number());
const writeOffSchema = requestSchema.extend({ rows: z.string() });

/** Rows of a run that somebody has said shall never be loaded. */
async function readWrittenOff(redis: RedisConnection, keys: LedgerKeys, run: string) {
  const texts = await redis.hvals(keys.run(run).writtenOff);
  const rows = texts.map((text) => unpackRowNumbers(writeOffSchema.parse(JSON.parse(text)).rows));
  return new Set((await Promise.all(rows)).flat());
}

/** `standing`: rows of the run. */
type WriteOff = { readonly of: Run; readonly standing: readonly Standing[]; readonly request: StateRequest };

export async function keepWriteOff(
  redis: RedisConnection,
  keys: LedgerKeys,
  { of, standing, request }: WriteOff,
): Promise<void> {
  const { id: run, operation } = of;
  const space = spaceOf(operation);
  const places = standing.filter(isNamed).map((one) => {
    return [formAt(keys, { ...one, key: nameOf(one, of) }), `${run} ${one.row}`] as const;
  });
  // Whoever finds a row there looks whether it is written off.
  if (space !== null && places.length > 0) await redis.hset(keys.writtenOff(space), new Map(places));
  const rows = standing.map(({ row }) => row);
  const { writtenOff, record } = keys.run(run);
  const text = JSON.stringify({ ...request, rows: await packRowNumbers(rows) });
  const list = rows.join(',');
  const shown = list.length > CHARACTERS_TOLD ? `sha256 ${digestOf(list)}` : list;
  const told = { count: rows.length, rows: shown, why: request.why };
  // Whoever is about to take rows looks again.
  const latest = `${run} ${randomUUID()}`;
  const entry = [stubOf(keys, run, request.at), JSON.stringify(told)];
  await appending(redis, [keys.audit], ([link = '']) =>
    off(
      redis,
      [writtenOff, keys.files, keys.audit, record],
      [`${request.at} ${rows[0]}`, text, latest, link, ...entry],
    ),
  );
}

const CHARACTERS_TOLD = 200;

const NOTHING_YET = {
  line: 0,
  key: '',
  outcome: 'pending',
  code: '',
  isWrittenOff: false,
  isPurged: false,
} as const;

/** The later run had lost the row, and has not sent it: the earlier one may be taken again. */
function isLost(standing: Standing | null): boolean {
  return standing?.line === 0 && isCorrectable(standing);
}

/** Never one that may have been created, or is being sent. */
export function isCorrectable(one: Standing): boolean {
  return isEnded(one) && !one.isWrittenOff;
}

export function isEnded({ outcome }: Standing): boolean {
  return outcome !== 'in-doubt' && outcome !== 'pending';
}

/** Its key is its own, and may be somebody else's by now. */
function isNamed(one: Standing): boolean {
  return !ANOTHERS.has(one.code) && isEnded(one);
}

/** Of rows whose key, or content, is that of an earlier row of their file. */
const ANOTHERS: ReadonlySet<string> = new Set(['duplicate_key', 'same_row']);

/** Where no digest says what its run claimed: without a key, its place in the file. */
function nameOf({ key, row }: Standing, run: Pick<Run, 'sha256'>): string {
  return key === '' ? identityByPlace(run, row) : key;
}

/** Without reading its rows: nobody has seen to any that did not succeed. */
function isToldByCounts(brief: RunBrief, family: readonly string[]): boolean {
  const isAlone = family.length === 1 && takesFrom(brief).length === 0;
  return isAlone && (!isOver(brief) || countUnsuccessful(brief.outcomes) === 0);
}

function takesFrom({ parent, standsFor }: RunBrief): string[] {
  return parent === null ? Object.keys(standsFor ?? {}) : [parent];
}

/** Rows that stand for no row of an earlier run. */
function ownCount({ rows, parent, standsFor = {} }: Pick<Run, 'rows' | 'parent' | 'standsFor'>): number {
  if (parent !== null) return 0;
  return Object.values(standsFor).reduce((left, count) => left - count, rows);
}

function ownRows(origins: Origins): (row: number) => boolean {
  const ofOthers = new Set([...origins.values()].flatMap((pairs) => pairs.map(([row]) => row)));
  return (row) => !ofOthers.has(row);
}

type Counts = Omit<Account, 'delivery' | 'runs' | 'rows' | 'holds'>;

function counted({ rows, outcomes }: RunBrief): Counts {
  const settled = countSettled(outcomes);
  const failed = countUnsuccessful(outcomes);
  const pending = rows - settled;
  const inDoubt = outcomes['in-doubt'];
  const atService = settled - failed;
  // Of purged runs only those without a failure are told here.
  const untouched = { writtenOff: 0, takenBack: 0, purgedRows: 0, notSent: outcomes.cancelled };
  return { ...untouched, atService, open: failed + pending, inDoubt, pending };
}

function countStand({ open, isOwn, atService, pending }: Stand): Counts {
  const own = [...open].flatMap(([row, standing]) => (isOwn(row) ? [standing] : []));
  const countIf = (is: (standing: Standing) => boolean) => own.filter(is).length;
  const closed = countIf((one) => one.isWrittenOff);
  const takenBack = countIf(({ code }) => code === UNDONE);
  return {
    atService,
    writtenOff: closed - takenBack,
    takenBack,
    open: own.length - closed + pending,
    inDoubt: countIf(({ outcome }) => outcome === 'in-doubt'),
    pending: pending + countIf(({ outcome }) => outcome === 'pending'),
    notSent: countIf(({ outcome, isWrittenOff }) => outcome === 'cancelled' && !isWrittenOff),
    purgedRows: countIf((one) => one.isPurged && isCorrectable(one)),
  };
}

/** Open rows alone are read where the run's counts say what became of all others. */
async function readRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: RunBrief,
  isOwn: (row: number) => boolean,
): Promise<Seen> {
  const { skipped } = run.outcomes;
  const failed = countUnsuccessful(run.outcomes);
  // Which rows of an earlier run were skipped is told by their outcomes alone.
  const areOthersTold = skipped === 0 || ownCount(run) === run.rows;
  const isWhole = areAllClosed(run) && countSettled(run.outcomes) === run.rows;
  const isTold = failed + skipped === 0 || (areOthersTold && isWhole);
  if (!isOver(run) || !isTold) return readAllRows(redis, keys, run, isOwn, isOver(run));
  const open = failed === 0 ? new Map<number, Standing>() : await openIn(redis, keys, run);
  // Either Redis has lost some, or an outcome was recorded since the run was looked at.
  if (open.size !== failed) return readAllRows(redis, keys, run, isOwn, true);
  const ownOpen = [...open.keys()].filter(isOwn).length;
  return { open, succeeded: ownCount(run) - ownOpen, pending: 0, skipped: new Set(), isSettled: () => true };
}

async function openIn(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: RunBrief,
): Promise<Map<number, Standing>> {
  const open = new Map<number, Standing>();
  const chunks = Array.from({ length: run.chunks }, (_, i) => i + 1);
  for await (const settlements of readOpen(redis, keys.run(run.id), chunks)) {
    for (const one of settlements) if (!isSuccess(one.outcome)) open.set(one.row, standingIn(run, one));
  }
  return open;
}

function standingIn(
  { id, purged }: RunBrief,
  { row, line, key, keyDigest, outcome, code }: Settlement,
): Standing {
  // Its key was taken back: nobody is to send it.
  const isWrittenOff = code === UNDONE;
  return { run: id, row, line, key, keyDigest, outcome, code, isWrittenOff, isPurged: purged !== undefined };
}

async function readAllRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: RunBrief,
  isOwn: (row: number) => boolean,
  hasAll: boolean,
): Promise<Seen> {
  const open = new Map<number, Standing>();
  const skipped = new Set<number>();
  const settled = new Set<number>();
  let [succeeded, ended, all] = [0, 0, 0];
  const see = (settlement: Settlement) => {
    const { row, outcome } = settlement;
    all += 1;
    if (!hasAll) settled.add(row);
    if (outcome === 'skipped' && !isOwn(row)) skipped.add(row);
    if (isOwn(row)) ended += 1;
    if (!isSuccess(outcome)) open.set(row, standingIn(run, settlement));
    else if (isOwn(row)) succeeded += 1;
  };
  for await (const { settlements } of readAll(redis, keys.run(run.id), run.chunks)) settlements.forEach(see);
  // Redis has lost some: which of them have an outcome is read row by row.
  if (hasAll && all !== run.rows) return readAllRows(redis, keys, run, isOwn, false);
  const pending = ownCount(run) - ended;
  return { open, succeeded, pending, skipped, isSettled: (row) => hasAll || settled.has(row) };
}
