/**
 * Reads accounts of deliveries. Nothing is kept for them: what became of a row is told by its own
 * outcome, by the rows that stand for it (origins.ts), and by who has its key. A row is at the
 * service where its own outcome says so, where a row says so that stands for it, or where a later
 * run's row was created under its key.
 */
import { z } from 'zod';
import { createRecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Account, Standing } from '../model/account.ts';
import { spaceOf } from '../model/operation.ts';
import type { Origins } from '../model/origin.ts';
import { countSettled, countUnsuccessful, succeeded as isSuccess } from '../model/outcome.ts';
import { isOver, type Run, requestSchema, type StateRequest } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { readKeys } from './key-claims.ts';
import type { LedgerKeys } from './keys.ts';
import { readOrigins } from './origins.ts';
import { packRowNumbers, unpackRowNumbers } from './row-numbers.ts';
import { type RunBrief, readBriefs, readRun } from './run-record.ts';
import type { RunStore } from './run-store.ts';
import { readAll } from './run-view.ts';

export type Accounts = ReturnType<typeof openAccounts>;

type Seen = {
  /** Rows with an outcome that is no success, in row order. */
  readonly open: Map<number, Standing>;
  isSettled(row: number): boolean;
  /** Of the rows that stand for none of an earlier run. */
  readonly succeeded: number;
  readonly waiting: number;
};

/** How the rows of one run stand. */
type Stand = {
  /** Those not at the service, of rows with an outcome. */
  readonly open: ReadonlyMap<number, Standing>;
  isOwn(row: number): boolean;
  /** Of its own rows. */
  readonly atService: number;
  readonly waiting: number;
  /** `null`: the row is at the service. */
  of(row: number): Standing | null;
};

const RUNS_REMEMBERED = 100;
/** Rows that did not succeed, of each of them. */
const ROWS_REMEMBERED = 2_000;

export type AccountMemory = ReturnType<typeof createAccountMemory>;

/** Of runs that are over, for later looks: what their rows said, and which ended well. */
export function createAccountMemory() {
  const rows = createRecentMap<string, { readonly of: string; readonly seen: Seen }>(RUNS_REMEMBERED);
  return { rows, wellEnded: new Set<string>() };
}

/** One look at a target's ledger: for a later one it is opened again. */
export function openAccounts(
  redis: RedisConnection,
  keys: LedgerKeys,
  store: Pick<RunStore, 'definition'>,
  memory = createAccountMemory(),
) {
  /** Each is looked at once. */
  const stands = new Map<string, Promise<Stand>>();
  const families = new Map<string, Promise<readonly RunBrief[]>>();
  const origins = new Map<string, Promise<Origins>>();

  const standOf = (id: string) => once(stands, id, () => look(id));
  const originsOf = (run: RunBrief | Run) => once(origins, run.id, () => readOrigins(redis, keys, run));
  /** Runs that have rows of this one, oldest first. */
  const takersOf = (id: string) =>
    once(families, id, async () => {
      const briefs = await readBriefs(redis, keys, await redis.smembers(keys.run(id).takers));
      return briefs.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    });

  async function look(id: string): Promise<Stand> {
    const run = await readRun(redis, keys, id);
    if (run === null) throw new Error(`run ${id} is gone from the ledger`);
    const isOwn = ownRows(await originsOf(run));
    const { open, isSettled, succeeded, waiting } = await rowsOf(run, isOwn);
    const own = () => [...open.keys()].filter(isOwn).length;
    const before = own();
    for (const taker of await takersOf(id)) await take(taker, run, open);
    await closeByKey(run, open);
    const off = await readWrittenOff(redis, keys, id);
    for (const [row, one] of open)
      if (one.run === id && off.has(row)) open.set(row, { ...one, isWrittenOff: isCorrectable(one) });
    const of = (row: number) => open.get(row) ?? (isSettled(row) ? null : { ...NOTHING_YET, run: id, row });
    return { open, isOwn, atService: succeeded + before - own(), waiting, of };
  }

  async function rowsOf(run: Run, isOwn: (row: number) => boolean): Promise<Seen> {
    const of = JSON.stringify(run.outcomes);
    const known = memory.rows.get(run.id);
    const seen = known?.of === of ? known.seen : await readRows(redis, keys, run, isOwn);
    if (isOver(run) && seen.open.size <= ROWS_REMEMBERED) memory.rows.set(run.id, { of, seen });
    return { ...seen, open: new Map(seen.open) };
  }

  /** What became of rows that a later run took. */
  async function take(taker: RunBrief, { id }: Run, open: Map<number, Standing>): Promise<void> {
    const [{ of }, taken] = await Promise.all([standOf(taker.id), originsOf(taker)]);
    for (const [row, from] of taken.get(id) ?? []) {
      const now = of(row);
      if (!open.has(from) || isLost(now)) continue;
      if (now === null) open.delete(from);
      else open.set(from, now);
    }
  }

  /**
   * The key of an open row is free for others, and a row of another run may have created its
   * record: that closes one row, unless it stands for one. A group's rows have one key.
   */
  async function closeByKey(run: Run, open: Map<number, Standing>): Promise<void> {
    const space = spaceOf(run.operation);
    const keyed = [...open].filter(([, one]) => one.run === run.id && one.key !== '');
    if (space === null || keyed.length === 0) return;
    const { keyForm: form, group } = (await store.definition(run.id)) ?? {};
    if (group !== undefined) return;
    const names = keyed.map(([, { key }]) => key);
    const states = new Map(await readKeys(redis, keys, { space, form, names }));
    for (const [row, { key, code }] of keyed) {
      const state = states.get(key);
      states.delete(key);
      if (state?.kind === 'known' && state.alike !== true && (await isMadeFor(run, code, state)))
        open.delete(row);
    }
  }

  /** Later than the run, or by the one that its row waited for; not for another row. */
  async function isMadeFor({ id, createdAt }: Run, code: string, made: Pick<Standing, 'run' | 'row'>) {
    const [maker] = made.run === id ? [] : await readBriefs(redis, keys, [made.run]);
    if (maker === undefined || !(maker.createdAt > createdAt || WAITED.has(code))) return false;
    return ownRows(await originsOf(maker))(made.row);
  }

  async function familyOf(id: string): Promise<string[]> {
    const family = new Set([id]);
    for (const one of family) for (const taker of await takersOf(one)) family.add(taker.id);
    return [...family];
  }

  /** Without reading its rows: nobody could have seen to them. */
  async function isToldByCounts(brief: RunBrief, family: readonly string[]): Promise<boolean> {
    if (family.length > 1 || takesFrom(brief).length > 0) return false;
    if (!isOver(brief) || countUnsuccessful(brief.outcomes) === 0) return true;
    const [latest] = await redis.zrevrange(keys.runs, 0, 0);
    return latest === brief.id && (await redis.exists(keys.run(brief.id).writtenOff)) === 0;
  }

  return {
    standOf,
    takersOf,
    async accountOf(id: string): Promise<Account> {
      const brief = await briefOf(id);
      const runs = await familyOf(id);
      const rows = ownCount(brief);
      const stand = (await isToldByCounts(brief, runs)) ? null : await standOf(id);
      const counts = stand === null ? counted(brief) : countStand(stand);
      const lost = isOver(brief) ? (stand ?? counts).waiting : 0;
      const holds = lost === 0 && counts.atService + counts.writtenOff + counts.open === rows;
      return { delivery: id, runs, rows, ...counts, holds };
    },
    /** The delivery that a run belongs to: itself where it has rows of its own, or of several. */
    async deliveryOf(id: string): Promise<string> {
      const brief = await briefOf(id);
      const froms = ownCount(brief) > 0 ? [] : takesFrom(brief);
      const roots = await Promise.all(froms.map((from) => this.deliveryOf(from)));
      const [root = id, other] = new Set(roots);
      return other === undefined ? root : id;
    },
    /** Rows of a run that a later one took, whatever became of them, or that are written off. */
    async seenTo(id: string): Promise<ReadonlySet<number>> {
      const rows = new Set(await readWrittenOff(redis, keys, id));
      for (const taker of await takersOf(id)) {
        const [{ of }, taken] = await Promise.all([standOf(taker.id), originsOf(taker)]);
        for (const [row, from] of taken.get(id) ?? []) if (!isLost(of(row))) rows.add(from);
      }
      return rows;
    },
  };

  async function briefOf(id: string): Promise<RunBrief> {
    const [brief] = await readBriefs(redis, keys, [id]);
    if (brief === undefined) throw new Error(`run ${id} is gone from the ledger`);
    return brief;
  }
}

function once<T>(known: Map<string, Promise<T>>, id: string, look: () => Promise<T>): Promise<T> {
  const found = known.get(id) ?? look();
  known.set(id, found);
  return found;
}

/** Their key was another run's then, which may have been registered before. */
const WAITED: ReadonlySet<string> = new Set(['key_held', 'key_in_doubt']);

const writeOffSchema = requestSchema.extend({ rows: z.string() });

/** Rows of a run that somebody has said shall never be loaded. */
async function readWrittenOff(redis: RedisConnection, keys: LedgerKeys, run: string) {
  const texts = await redis.hvals(keys.run(run).writtenOff);
  const rows = texts.map((text) => unpackRowNumbers(writeOffSchema.parse(JSON.parse(text)).rows));
  return new Set((await Promise.all(rows)).flat());
}

export async function keepWriteOff(
  redis: RedisConnection,
  keys: LedgerKeys,
  {
    run,
    rows,
    request,
  }: { readonly run: string; readonly rows: readonly number[]; readonly request: StateRequest },
): Promise<void> {
  const { writtenOff } = keys.run(run);
  const text = JSON.stringify({ ...request, rows: await packRowNumbers(rows) });
  await redis.hset(writtenOff, `${request.at} ${rows[0]}`, text);
}

const NOTHING_YET = { line: 0, key: '', outcome: 'open', code: '', isWrittenOff: false } as const;

/** The later run had lost the row, and has not sent it: the earlier one may be taken again. */
function isLost(standing: Standing | null): boolean {
  return standing?.line === 0 && isCorrectable(standing);
}

/** Never one that may have been created, or is being sent. */
export function isCorrectable({ outcome, isWrittenOff }: Standing): boolean {
  return outcome !== 'in-doubt' && outcome !== 'open' && !isWrittenOff;
}

function takesFrom({ parent, standsFor }: RunBrief): string[] {
  return parent === null ? Object.keys(standsFor ?? {}) : [parent];
}

/** Rows that stand for no row of an earlier run. */
function ownCount({ rows, parent, standsFor = {} }: Pick<Run, 'rows' | 'parent' | 'standsFor'>): number {
  if (parent !== null) return 0;
  return Object.values(standsFor).reduce((left, taken) => left - taken, rows);
}

function ownRows(origins: Origins): (row: number) => boolean {
  const taken = new Set([...origins.values()].flatMap((pairs) => pairs.map(([row]) => row)));
  return (row) => !taken.has(row);
}

type Counts = Pick<Account, 'atService' | 'writtenOff' | 'open' | 'inDoubt' | 'waiting'>;

function counted({ rows, outcomes }: RunBrief): Counts {
  const settled = countSettled(outcomes);
  const failed = countUnsuccessful(outcomes);
  const waiting = rows - settled;
  const inDoubt = outcomes['in-doubt'];
  return { atService: settled - failed, writtenOff: 0, open: failed + waiting, inDoubt, waiting };
}

function countStand({ open, isOwn, atService, waiting }: Stand): Counts {
  const own = [...open].flatMap(([row, standing]) => (isOwn(row) ? [standing] : []));
  const countIf = (is: (standing: Standing) => boolean) => own.filter(is).length;
  const writtenOff = countIf((one) => one.isWrittenOff);
  return {
    atService,
    writtenOff,
    open: own.length - writtenOff + waiting,
    inDoubt: countIf(({ outcome }) => outcome === 'in-doubt'),
    waiting: waiting + countIf(({ outcome }) => outcome === 'open'),
  };
}

async function readRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  run: Run,
  isOwn: (row: number) => boolean,
  hasAll = isOver(run),
): Promise<Seen> {
  const open = new Map<number, Standing>();
  const own = ownCount(run);
  if (hasAll && countUnsuccessful(run.outcomes) === 0)
    return { open, succeeded: own, waiting: 0, isSettled: () => true };
  const settled = new Set<number>();
  let [succeeded, ended, all] = [0, 0, 0];
  const see = ({ row, line, key, outcome, code }: Settlement) => {
    all += 1;
    if (!hasAll) settled.add(row);
    if (isOwn(row)) ended += 1;
    if (!isSuccess(outcome))
      open.set(row, { run: run.id, row, line, key, outcome, code, isWrittenOff: false });
    else if (isOwn(row)) succeeded += 1;
  };
  for await (const { settlements } of readAll(redis, keys.run(run.id), run.chunks)) settlements.forEach(see);
  // Redis has lost some: which of them have an outcome is read row by row.
  if (hasAll && all !== run.rows) return readRows(redis, keys, run, isOwn, false);
  return { open, succeeded, waiting: own - ended, isSettled: (row) => hasAll || settled.has(row) };
}
