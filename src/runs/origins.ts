/**
 * Which open rows of earlier runs a report file's rows stand for from now on. Whatever else the
 * file says of its rows is told, and such rows are rows of its own; a row whose earlier one is in
 * doubt refuses the file, since it may have been created.
 */
import { isCorrectable, openAccounts } from '../ledger/account.ts';
import type { NewRun } from '../ledger/run-record.ts';
import { numberShown } from '../lib/terminal.ts';
import type { Standing } from '../model/account.ts';
import { nameOf, type Operation } from '../model/operation.ts';
import type { Origins } from '../model/origin.ts';
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
  const taken = new Set<string>();
  const notes: string[] = [];
  const inDoubt: string[] = [];
  for (const [id, pairs] of said) {
    const run = await store.get(id);
    if (run?.operation !== operation) {
      notes.push(noteOf(pairs, `name no run of ${nameOf(operation)} at ${target}`));
      continue;
    }
    const { open } = await accounts.standOf(id);
    const closed: Pair[] = [];
    for (const pair of pairs) {
      const standing = open.get(pair[1]);
      const place = `${standing?.run} ${standing?.row}`;
      if (standing?.outcome === 'in-doubt') inDoubt.push(doubtWords(pair[0], standing));
      else if (standing === undefined || !isCorrectable(standing) || taken.has(place)) closed.push(pair);
      else pairsOf(origins, standing.run).push([pair[0], standing.row]);
      taken.add(place);
    }
    if (closed.length > 0) notes.push(noteOf(closed, `name rows of run ${id} that are not open`));
  }
  const refused = inDoubt.length === 0 ? null : [...inDoubt.slice(0, TOLD), IN_DOUBT];
  return { origins: { origins, latest }, notes, refused };
}

function pairsOf(origins: Map<string, Pair[]>, run: string): Pair[] {
  const pairs = origins.get(run) ?? [];
  origins.set(run, pairs);
  return pairs;
}

const TOLD = 20;
const IN_DOUBT =
  'Such a row may have been created: `onboard resolve` settles it in that run, or take it out of the file. Nothing was sent.';

function doubtWords(row: number, { run, row: from }: Standing): string {
  return `row ${row} stands for row ${from} of run ${run}, which is in doubt`;
}

const ROWS_TOLD = 5;

function noteOf(pairs: readonly Pair[], why: string): string {
  const some = pairs
    .slice(0, ROWS_TOLD)
    .map(([row]) => numberShown(row))
    .join(', ');
  const all = pairs.length > ROWS_TOLD ? `${some} and ${numberShown(pairs.length - ROWS_TOLD)} more` : some;
  return `Rows ${all} ${why} (onboard_run, onboard_row): they count as rows of this file.`;
}
