/**
 * Reads accounts of deliveries. Nothing is kept for them: what became of a row is told by its own
 * outcome, by the rows that stand for it (origins.ts), and by who has its key. A row is at the
 * service where its own outcome says so, where a row says so that stands for it, or where a later
 * run's row was created under its key.
 */
import { createRecentMap } from '../lib/recent.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { Account, Standing } from '../model/account.ts';
import { spaceOf } from '../model/operation.ts';
import type { Origins } from '../model/origin.ts';
import { countSettled, countUnsuccessful, succeeded as isSuccess } from '../model/outcome.ts';
import { isOver, type Run, type StateRequest } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { readKeys } from './key-claims.ts';
import type { LedgerKeys } from './keys.ts';
import { readOrigins } from './origins.ts';
import { allBriefs, type RunBrief, readRun } from './run-record.ts';
import type { RunStore } from './run-store.ts';
import { readAll } from './run-view.ts';

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

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

/** Of runs that are over: what their rows said, for later looks. */
export function createAccountMemory() {
  return createRecentMap<string, { readonly of: string; readonly seen: Seen }>(RUNS_REMEMBERED);
}

/** One look at a target's ledger: for a later one it is opened again. */
export async function openAccounts(
  redis: RedisConnection,
  keys: LedgerKeys,
  store: RunStore,
  memory = createAccountMemory(),
) {
  const briefs = new Map<string, RunBrief>();
  for await (const brief of allBriefs(redis, keys)) briefs.set(brief.id, brief);
  const places = new Map([...briefs.keys()].map((id, i) => [id, i]));
  const takers = takersOf(briefs);
  const stands = new Map<string, Promise<Stand>>();

  function standOf(id: string): Promise<Stand> {
    const known = stands.get(id) ?? look(id);
    stands.set(id, known);
    return known;
  }

  async function look(id: string): Promise<Stand> {
    const run = await readRun(redis, keys, id);
    if (run === null) throw new Error(`run ${id} is gone from the ledger`);
    const isOwn = ownRows(await readOrigins(redis, keys, run));
    const { open, isSettled, succeeded, waiting } = await rowsOf(run, isOwn);
    const own = () => [...open.keys()].filter(isOwn).length;
    const before = own();
    for (const taker of takers.get(id) ?? []) await take(taker, run, open);
    await closeByKey(run, open);
    await writeOff(run, open);
    const of = (row: number) => open.get(row) ?? (isSettled(row) ? null : { ...NOTHING_YET, run: id, row });
    return { open, isOwn, atService: succeeded + before - own(), waiting, of };
  }

  async function rowsOf(run: Run, isOwn: (row: number) => boolean): Promise<Seen> {
    const of = JSON.stringify(run.outcomes);
    const known = memory.get(run.id);
    const seen = known?.of === of ? known.seen : await readRows(redis, keys, run, isOwn);
    if (isOver(run) && seen.open.size <= ROWS_REMEMBERED) memory.set(run.id, { of, seen });
    return { ...seen, open: new Map(seen.open) };
  }

  /** What became of rows that a later run took. */
  async function take(taker: RunBrief, { id }: Run, open: Map<number, Standing>): Promise<void> {
    const [{ of }, origins] = await Promise.all([standOf(taker.id), readOrigins(redis, keys, taker)]);
    for (const [row, from] of origins.get(id) ?? []) {
      if (!open.has(from)) continue;
      const now = of(row);
      if (now === null) open.delete(from);
      else open.set(from, now);
    }
  }

  /** The key of an open row is free for others: one of a later run may have created its record. */
  async function closeByKey({ id, operation }: Run, open: Map<number, Standing>): Promise<void> {
    const space = spaceOf(operation);
    const keyed = [...open].filter(([, { run, key }]) => run === id && key !== '');
    if (space === null || keyed.length === 0) return;
    const form = (await store.definition(id))?.keyForm;
    const states = await readKeys(redis, keys, { space, form, names: keyed.map(([, { key }]) => key) });
    for (const [row, { key }] of keyed) {
      const state = states.get(key);
      if (state?.kind === 'known' && state.alike !== true && isLater(state.run, id)) open.delete(row);
    }
  }

  function isLater(one: string, other: string): boolean {
    return (places.get(one) ?? -1) > (places.get(other) ?? -1);
  }

  async function writeOff({ id }: Run, open: Map<number, Standing>): Promise<void> {
    if (open.size === 0) return;
    for (const row of await redis.hkeys(keys.run(id).writtenOff)) {
      const standing = open.get(Number(row));
      if (standing !== undefined && isCorrectable(standing))
        open.set(Number(row), { ...standing, isWrittenOff: true });
    }
  }

  function familyOf(id: string): string[] {
    const family = new Set([id]);
    for (const one of family) for (const taker of takers.get(one) ?? []) family.add(taker.id);
    return [...family].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  }

  /** Without reading its rows: there are no later runs that could have seen to them. */
  async function isToldByCounts(brief: RunBrief, family: readonly string[]): Promise<boolean> {
    if (family.length > 1 || takesFrom(brief).length > 0) return false;
    if (!isOver(brief) || countUnsuccessful(brief.outcomes) === 0) return true;
    const isLatest = places.get(brief.id) === briefs.size - 1;
    return isLatest && (await redis.exists(keys.run(brief.id).writtenOff)) === 0;
  }

  async function accountOf(id: string): Promise<Account> {
    const brief = briefs.get(id);
    if (brief === undefined) throw new Error(`run ${id} is gone from the ledger`);
    const runs = familyOf(id);
    const rows = ownCount(brief);
    const stand = (await isToldByCounts(brief, runs)) ? null : await standOf(id);
    const counts = stand === null ? counted(brief) : countStand(stand);
    const lost = isOver(brief) ? (stand ?? counts).waiting : 0;
    const holds = lost === 0 && counts.atService + counts.writtenOff + counts.open === rows;
    return { delivery: id, runs, rows, ...counts, holds };
  }

  return {
    standOf,
    accountOf,
    /** The delivery that a run belongs to: itself where it has rows of its own, or of several. */
    deliveryOf(id: string): string {
      const brief = briefs.get(id);
      const [from, other] = brief === undefined ? [] : takesFrom(brief);
      if (brief === undefined || from === undefined || other !== undefined) return id;
      return ownCount(brief) > 0 || !briefs.has(from) ? id : this.deliveryOf(from);
    },
    /** Runs that have rows of this one, oldest first. */
    takersOf: (id: string): readonly RunBrief[] => takers.get(id) ?? [],
    /** Rows of a run that a later one took, whatever became of them, or that are written off. */
    async seenTo(id: string): Promise<ReadonlySet<number>> {
      const rows = new Set((await redis.hkeys(keys.run(id).writtenOff)).map(Number));
      for (const taker of takers.get(id) ?? []) {
        const [{ of }, origins] = await Promise.all([standOf(taker.id), readOrigins(redis, keys, taker)]);
        for (const [row, from] of origins.get(id) ?? []) if (!isLost(of(row))) rows.add(from);
      }
      return rows;
    },
  };
}

/** Answers how many of them were not written off before; those keep who said so first. */
export async function writeOffRows(
  redis: RedisConnection,
  keys: LedgerKeys,
  {
    run,
    rows,
    request,
  }: { readonly run: string; readonly rows: readonly number[]; readonly request: StateRequest },
): Promise<number> {
  const { writtenOff } = keys.run(run);
  const text = JSON.stringify(request);
  const set = await Promise.all(rows.map((row) => redis.hsetnx(writtenOff, String(row), text)));
  return set.reduce((sum, one) => sum + one, 0);
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

function takersOf(briefs: ReadonlyMap<string, RunBrief>): ReadonlyMap<string, readonly RunBrief[]> {
  const takers = new Map<string, RunBrief[]>();
  for (const brief of briefs.values())
    for (const from of takesFrom(brief)) takers.set(from, [...(takers.get(from) ?? []), brief]);
  return takers;
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
): Promise<Seen> {
  const open = new Map<number, Standing>();
  const own = ownCount(run);
  const hasAll = isOver(run);
  if (hasAll && countUnsuccessful(run.outcomes) === 0)
    return { open, succeeded: own, waiting: 0, isSettled: () => true };
  const settled = new Set<number>();
  let [succeeded, ended] = [0, 0];
  const see = ({ row, line, key, outcome, code }: Settlement) => {
    if (!hasAll) settled.add(row);
    if (isOwn(row)) ended += 1;
    if (!isSuccess(outcome))
      open.set(row, { run: run.id, row, line, key, outcome, code, isWrittenOff: false });
    else if (isOwn(row)) succeeded += 1;
  };
  for await (const { settlements } of readAll(redis, keys.run(run.id), run.chunks)) settlements.forEach(see);
  return { open, succeeded, waiting: own - ended, isSettled: (row) => hasAll || settled.has(row) };
}
