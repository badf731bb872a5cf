/**
 * Which open rows of earlier runs a report file's rows stand for. What else it says of its rows is
 * told; for rows in doubt, on their way or written off it is refused.
 */
import { isCorrectable, openAccounts } from '../ledger/account.ts';
import type { NewRun } from '../ledger/run-record.ts';
import { numberShown } from '../lib/terminal.ts';
import type { Standing } from '../model/account.ts';
import { nameOf, type Operation } from '../model/operation.ts';
import type { Origins } from '../model/source.ts';
import type { Ledger } from '../session.ts';

type Asked = { readonly said: Origins; readonly operation: Operation; readonly target: string };

type Found = {
  readonly origins: Exclude<NewRun['origins'], undefined>;
  /** For people. */
  readonly notes: readonly string[];
  /** Why the file can't be loaded; `null`: it can. */
  readonly refused: readonly string[] | null;
};

type Pair = readonly [row: number, from: number];

export async function findOrigins({ said, operation, target }: Asked, { redis, of }: Ledger): Promise<Found> {
  const { keys, store } = of(target);
  const latest = await store.latestTaker();
  const accounts = openAccounts(redis, keys, store);
  const origins = new Map<string, Pair[]>();
  const add = (run: string, pair: Pair) => origins.get(run)?.push(pair) ?? origins.set(run, [pair]);
  const taken = new Set<string>();
  const notes: string[] = [];
  const refused: string[] = [];
  for (const [id, pairs] of said) {
    const run = await store.get(id);
    if (run?.operation !== operation) {
      notes.push(noteOf(pairs, `of no known run of ${nameOf(operation)} at ${target}`));
      continue;
    }
    const { open } = await accounts.standOf(id);
    const closed: Pair[] = [];
    for (const pair of pairs) {
      const standing = open.get(pair[1]);
      const place = `${standing?.run} ${standing?.row}`;
      if (standing === undefined || taken.has(place)) closed.push(pair);
      else if (!isCorrectable(standing)) refused.push(whyNot(pair[0], standing));
      else add(standing.run, [pair[0], standing.row]);
      taken.add(place);
    }
    if (closed.length > 0) notes.push(noteOf(closed, `not open in run ${id}`));
  }
  const told = refused.length === 0 ? null : [...refused.slice(0, ROWS_TOLD), REFUSED];
  return { origins: { origins, latest }, notes, refused: told };
}

const REFUSED = 'Take such rows out of the file, or wait. Nothing of it was sent.';

function whyNot(row: number, { run, row: from, outcome, isWrittenOff }: Standing): string {
  const words = `row ${row} stands for row ${from} of run ${run}, which`;
  if (isWrittenOff) return `${words} is written off`;
  return outcome === 'open'
    ? `${words} has no outcome yet: \`onboard status ${run}\` says what it waits for`
    : `${words} is in doubt: it may have been created, \`onboard resolve ${run} ${from} --created ID\` or \`--not-created\` settles it`;
}

const ROWS_TOLD = 5;

function noteOf(pairs: readonly Pair[], why: string): string {
  const rows = pairs.slice(0, ROWS_TOLD).map(([row]) => numberShown(row));
  const more = pairs.length > ROWS_TOLD ? ` and ${numberShown(pairs.length - ROWS_TOLD)} more` : '';
  return `By onboard_run and onboard_row these were rows ${why}, so they count as rows of this file: ${rows.join(', ')}${more}.`;
}
