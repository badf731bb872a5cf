/** What people ask of accounts: how a delivery stands, its open rows, and to write rows off. */
import {
  type AccountMemory,
  type Accounts,
  isCorrectable,
  keepWriteOff,
  openAccounts,
} from '../engine/ledger/account.ts';
import type { RunStore } from '../engine/ledger/run-store.ts';
import { createRunView, openAround } from '../engine/ledger/run-view.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Standing } from '../model/account.ts';
import { isOver, type Run, type StateRequest } from '../model/run.ts';
import type { Ledger } from '../session.ts';
import { keepMoved, movedRecords } from './held-accounts.ts';
import { waitForReplica } from './replicas.ts';
import { remainderFormat, remainderRows } from './report/remainder.ts';

export function accountsAt(
  target: string,
  { redis, of }: Pick<Ledger, 'redis' | 'of'>,
  memory?: AccountMemory,
): Accounts {
  const { keys } = of(target);
  return openAccounts(redis, keys, memory);
}

/** Of the delivery that the run belongs to. */
export async function accountOf({ id, target }: Run, ledger: Ledger) {
  const accounts = accountsAt(target, ledger);
  return accounts.accountOf(await accounts.deliveryOf(id));
}

export type OpenRow = { readonly row: number; readonly last: Standing };

/** A delivery's open rows, each where it stands last; without those that have no outcome. */
export async function openRowsOf(delivery: string, accounts: Pick<Accounts, 'standOf'>): Promise<OpenRow[]> {
  const { open, isOwn } = await accounts.standOf(delivery);
  return rowsOf(open).filter(({ row, last }) => isOwn(row) && !last.isWrittenOff);
}

/** Rows of a run that can be written off, each where it stands last. */
export async function rowsToWriteOff(run: string, accounts: Pick<Accounts, 'standOf'>): Promise<OpenRow[]> {
  const { open } = await accounts.standOf(run);
  return rowsOf(open).filter(({ last }) => isCorrectable(last));
}

function rowsOf(open: ReadonlyMap<number, Standing>): OpenRow[] {
  return [...open].map(([row, last]) => ({ row, last }));
}

/**
 * Open rows as one file to correct and load, by pieces; a row in doubt is not among them. A
 * UsageError where some come from files with other columns than the first one's.
 */
export async function* fileOfOpen(
  delivery: Run,
  open: readonly OpenRow[],
  ledger: Ledger,
): AsyncGenerator<string> {
  const first = remainderFormat(delivery);
  yield first.header('failed');
  const rows = open.map(({ last }) => last).filter((one) => isCorrectable(one) && !one.isPurged);
  for await (const { run, rows: some } of lastRows(rows, delivery.target, ledger)) {
    const format = remainderFormat(run, delivery);
    const isAlike = format.header('failed') === first.header('failed');
    if (!isAlike) throw new UsageError(otherColumns(delivery, run));
    yield format.lines(some, 'failed');
  }
}

/** Where rows stand last, run by run and a few at a time: what became of them, and their cells. */
export async function* lastRows(rows: readonly Standing[], target: string, { redis, of }: Ledger) {
  const { keys, store } = of(target);
  for (const id of new Set(rows.map(({ run }) => run))) {
    const run = await store.get(id);
    if (run === null) throw new Error(`run ${id} is gone from the ledger`);
    const view = createRunView(redis, keys, run);
    const numbers = new Set(rows.flatMap((one) => (one.run === id ? [one.row] : [])));
    for await (const settlements of openAround(redis, keys, run, numbers)) {
      const asked = settlements.filter(({ row }) => numbers.has(row));
      for await (const some of remainderRows(asked, view)) yield { run, rows: some };
    }
  }
}

export function otherColumns(delivery: Run, { id, file }: Run): string {
  return (
    `The open rows come from files with other columns than ${delivery.file}, such as ${file} (run ${id}): ` +
    'expected those of one form. Correct the failed and rejected files of each run by themselves.'
  );
}

/** Rows of the run; those of some that are open; all open ones of the outcomes and the code. */
export type RowsMeant =
  | { readonly kind: 'rows' | 'open'; readonly rows: readonly number[] }
  | { readonly kind: 'like'; readonly outcomes: ReadonlySet<string>; readonly cause: string | null };

type WriteOffOptions = {
  readonly areMoved?: boolean;
  /** Before anything is recorded; throws where a person says no. */
  readonly ask?: (rows: number) => Promise<void>;
};

/**
 * Answers how many rows are written off by this, each where it stands; a UsageError where one can't
 * be, and none is. `areMoved`: their accounts were changed at the service by hand.
 */
export async function writeOff(
  run: Run,
  meant: RowsMeant,
  request: StateRequest,
  ledger: Ledger,
  { areMoved = false, ask }: WriteOffOptions = {},
): Promise<number> {
  const { id, target } = run;
  if (!isOver(run))
    throw new UsageError(
      `Run ${id} is ${run.state}: expected one that is over. \`onboard cancel ${id}\` ends it.`,
    );
  const stand = await accountsAt(target, ledger).standOf(id);
  const rows = meant.kind === 'rows' ? [...new Set(meant.rows)] : rowsLike(meant, stand.open);
  const problems = rows.flatMap((row) => problemOf(row, stand.of(row), run) ?? []);
  if (problems.length > 0) throw new UsageError([...problems, NOTHING_WRITTEN_OFF]);
  const standing = rows.flatMap((row) => stand.open.get(row) ?? []).filter(isCorrectable);
  await ask?.(standing.length);
  const { keys } = ledger.of(target);
  const places = await placesOf(standing, [...stand.open.values()], ledger.of(target).store);
  const moved = areMoved ? await Promise.all(places.map((place) => movedRecords(place, ledger))) : [];
  // First: killed between the two, the rows stay open, and the same command goes on.
  await keepMoved(target, moved.flat(), ledger);
  // The audit has the reason, and so what was said of the account.
  const why = areMoved ? `account changed at the service: ${request.why}` : request.why;
  const said = { ...request, why };
  for (const { of, own } of places)
    await keepWriteOff(ledger.redis, keys, { of, standing: own, request: said });
  await waitForReplica(ledger, target);
  return standing.length;
}

/** Rows by the run in which they stand, with all that are open there. */
function placesOf(standing: readonly Standing[], open: readonly Standing[], store: RunStore) {
  const runs = [...new Set(standing.map((one) => one.run))];
  return Promise.all(
    runs.map(async (run) => {
      const of = await store.get(run);
      if (of === null) throw new Error(`run ${run} is gone from the ledger`);
      const isIts = (one: Standing) => one.run === run;
      return { of, own: standing.filter(isIts), open: open.filter(isIts) };
    }),
  );
}

const NOTHING_WRITTEN_OFF = 'Nothing was written off.';

function rowsLike(meant: RowsMeant, open: ReadonlyMap<number, Standing>): number[] {
  const isMeant = meantBy(meant);
  const correctable = rowsOf(open).filter(({ last }) => isCorrectable(last));
  const found = correctable.filter(isMeant);
  if (found.length > 0) return found.map(({ row }) => row);
  throw new UsageError(['No open row of the run is one of those.', NOTHING_WRITTEN_OFF]);
}

function meantBy(meant: RowsMeant): (one: OpenRow) => boolean {
  if ('rows' in meant) {
    const rows = new Set(meant.rows);
    return ({ row }) => rows.has(row);
  }
  const { outcomes, cause } = meant;
  return ({ last: { outcome, code } }) => outcomes.has(outcome) && (cause ?? code) === code;
}

function problemOf(row: number, standing: Standing | null, { id }: Run): string | null {
  if (standing === null) return `row ${row} of run ${id}: is at the service, or the run has no such row`;
  if (isCorrectable(standing) || standing.isWrittenOff) return null;
  const place = `row ${standing.row} of run ${standing.run}`;
  if (standing.outcome !== 'in-doubt') return `row ${row} has no outcome yet, as ${place}`;
  const resolve = `onboard resolve ${standing.run} ${standing.row} --created ID`;
  return (
    `row ${row} is in doubt as ${place}: it may have been created, ` +
    `\`${resolve}\` or \`--not-created\` settles it`
  );
}
