/**
 * Open rows of a run that is over: of which of its causes each is, and in which run it stands now,
 * since rows that were corrected or sent again are seen to there.
 */
import { knownFields, publicColumns } from '../../delivery/service/operations.ts';
import { openAround } from '../../engine/ledger/run-view.ts';
import { countSettled } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import type { OpenRow } from '../../runs/account.ts';
import { causeAmong } from '../../runs/report/causes.ts';
import type { Digest } from '../../runs/report/digest.ts';
import { unsuccessfulIn } from '../../runs/report/remainder.ts';
import type { Session } from '../../session.ts';
import { openRunRows } from './run-rows.ts';

/** Of so many the causes are found out; of more nothing is told. */
const MOST = 2_000;

/** By run, how many of them stand there. */
export type Places = ReadonlyMap<string, number>;

export function placesOf(open: readonly OpenRow[]): Places {
  const places = new Map<string, number>();
  for (const { last } of open) places.set(last.run, (places.get(last.run) ?? 0) + 1);
  return places;
}

/** By cause, where its open rows stand; none of a cause: nothing is left of it. `null`: unknown. */
export async function openByCause(
  session: Pick<Session, 'ledger'>,
  of: Run,
  open: readonly OpenRow[],
  digest: Digest,
): Promise<ReadonlyMap<string, Places> | null> {
  // A cause that is not counted yet is not over.
  if (open.length > MOST || digest.read < countSettled(of.outcomes)) return null;
  const own = await openRunRows(session, of.id);
  if (own === null) return null;
  const { redis, keys, run, view, definition } = own;
  const { columns } = run.source;
  const terms = {
    columns,
    fields: knownFields(run.operation),
    publicColumns: publicColumns(definition, columns),
  };
  const ids = new Set(digest.causes.map((cause) => cause.id));
  const byRow = new Map(open.map((one) => [one.row, one]));
  const found = new Map<string, OpenRow[]>();
  for await (const settlements of openAround(redis, keys, run, new Set(byRow.keys()))) {
    const asked = settlements.filter(({ row }) => byRow.has(row));
    for await (const rows of unsuccessfulIn(asked, view))
      for (const row of rows) {
        const cause = causeAmong(row, ids, terms);
        const one = byRow.get(row.settlement.row);
        if (cause !== null && one !== undefined) found.set(cause, [...(found.get(cause) ?? []), one]);
      }
  }
  return new Map([...found].map(([cause, rows]) => [cause, placesOf(rows)]));
}
