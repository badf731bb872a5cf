/**
 * Which open rows of earlier runs a report file's rows stand for from now on. Whatever else the
 * file says of its rows is told, and such rows are rows of its own; a row whose earlier one is in
 * doubt refuses the file, since it may have been created.
 */
import { type Accounts, isCorrectable, openAccounts } from '../ledger/account.ts';
import type { NewRun } from '../ledger/run-record.ts';
import { numberShown } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { nameOf, type Operation } from '../model/operation.ts';
import type { Origins } from '../model/origin.ts';
import type { Ledger } from '../session.ts';

type Asked = { readonly said: Origins; readonly operation: Operation; readonly target: string };

type Found = {
  readonly origins: Exclude<NewRun['origins'], undefined>;
  /** For people. */
  readonly notes: readonly string[];
};

type Pair = readonly [row: number, from: number];

export async function findOrigins({ said, operation, target }: Asked, ledger: Ledger): Promise<Found> {
  const { keys, store } = ledger.of(target);
  const latest = new Map<string, string>();
  const origins = new Map<string, Pair[]>();
  const told: (readonly [why: string, row: number])[] = [];
  const inDoubt: string[] = [];
  for (const [id, pairs] of said) {
    const run = await store.get(id);
    if (run?.operation !== operation) {
      const why = `name no run of ${nameOf(operation)} at ${target}`;
      told.push(...pairs.map(([row]) => [why, row] as const));
      continue;
    }
    latest.set(id, await store.latestTaker(id));
    const accounts = await openAccounts(ledger.redis, keys, store);
    const { open, doubts, closed } = await sorted(id, pairs, accounts);
    origins.set(id, open);
    told.push(...closed.map(([row]) => [`name rows of run ${id} that are not open`, row] as const));
    inDoubt.push(
      ...doubts.map(([row, from]) => `row ${row} was row ${from} of run ${id}, which is in doubt`),
    );
  }
  if (inDoubt.length > 0) throw new UsageError([...inDoubt.slice(0, TOLD), IN_DOUBT]);
  return { origins: { origins, latest }, notes: notesOf(told) };
}

const TOLD = 20;
const IN_DOUBT =
  'Such a row may have been created: `onboard resolve` settles it in its run, or take it out of the file. Nothing was sent.';

/** A row named twice is the first one's. */
async function sorted(id: string, pairs: readonly Pair[], accounts: Accounts) {
  const stand = await accounts.standOf(id);
  const taken = new Set<number>();
  const found = { open: [] as Pair[], doubts: [] as Pair[], closed: [] as Pair[] };
  for (const pair of pairs) {
    const [, from] = pair;
    const standing = stand.open.get(from);
    if (standing?.outcome === 'in-doubt') found.doubts.push(pair);
    else if (standing !== undefined && isCorrectable(standing) && !taken.has(from)) found.open.push(pair);
    else found.closed.push(pair);
    taken.add(from);
  }
  return found;
}

const ROWS_TOLD = 5;

function notesOf(told: readonly (readonly [why: string, row: number])[]): string[] {
  const rows = new Map<string, number[]>();
  for (const [why, row] of told) rows.set(why, [...(rows.get(why) ?? []), row]);
  return [...rows].map(([why, of]) => {
    const some = of.slice(0, ROWS_TOLD).map(numberShown).join(', ');
    const all = of.length > ROWS_TOLD ? `${some} and ${of.length - ROWS_TOLD} more` : some;
    return `Rows ${all} ${why} (onboard_run, onboard_row): they count as rows of this file.`;
  });
}
