import { IDENTITY } from '../model/operation.ts';
import type { Decision, Resolution } from '../model/resolution.ts';
import type { Run } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import type { LedgerKeys } from './keys.ts';
import { settledMark } from './mark.ts';
import { identityPlace } from './settle-entry.ts';

/** What somebody decided of one row. */
export type RowDecision = { readonly row: number; readonly decision: Decision };

export type ResolveOptions = {
  readonly run: Run;
  /** Who decided. */
  readonly by: string;
  readonly at: Date;
};

/** One row as the script RESOLVE has it. */
export type ResolveEntry = readonly [
  row: string,
  outcome: string,
  settlement: string,
  bucket: string,
  digest: string,
  identity: string,
  id: string,
  resolution: string,
  dropSource: 0 | 1,
];

/** What the script needs for one decision; `doubt`: the row as it stands, `null` where it is not in doubt. */
export function resolveEntry(
  keys: LedgerKeys,
  { run, by, at }: ResolveOptions,
  { row, decision, doubt }: RowDecision & { readonly doubt: Settlement | null },
): ResolveEntry {
  const created = decision.kind === 'created';
  const id = created ? decision.id : '';
  const resolution: Resolution = {
    decision: decision.kind,
    id,
    by,
    at: at.toISOString(),
    was: doubt?.code ?? '',
  };
  const settled = doubt === null ? null : settledAs(run, doubt, resolution);
  const place = doubt === null ? null : placeOf(keys, run, doubt);
  return [
    String(row),
    settled?.outcome ?? '',
    settled === null ? '' : settledMark(settled),
    place?.bucket ?? '',
    place?.digest ?? '',
    created ? 'k' : 'x',
    id,
    JSON.stringify(resolution),
    created ? 1 : 0,
  ];
}

/** What is known of the sending stays: key, line, status, attempts, duration. */
function settledAs(run: Run, doubt: Settlement, { decision, id, by, at }: Resolution): Settlement {
  const created = decision === 'created';
  return {
    ...doubt,
    outcome: created ? (run.operation === 'counterparty.draft' ? 'drafted' : 'created') : 'failed',
    id,
    code: created ? 'resolved' : 'not_created',
    message: `resolved as ${created ? 'created' : 'not created'} by ${by} at ${at}`,
  };
}

/** A row without a key is known by its place in the file. */
function placeOf(keys: LedgerKeys, run: Run, { key, row }: Settlement) {
  const space = IDENTITY[run.operation];
  return space === null
    ? null
    : identityPlace(keys, { space, key: key === '' ? `${run.sha256}:${row}` : key });
}

/** What the script needs to say more of a row that stays in doubt. */
export function noteEntry(settlement: Settlement): ResolveEntry {
  return [String(settlement.row), 'in-doubt', settledMark(settlement), '', '', '', '', '', 0];
}
