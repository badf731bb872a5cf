/**
 * Held rows whose account a person has changed at the service: it is the known one from then on, so
 * that the next delivery with it is not held again.
 */
import { mappingFor } from '../delivery/run-mapping.ts';
import { createRunView } from '../engine/ledger/run-view.ts';
import { isUserTold } from '../lib/machine.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Standing } from '../model/account.ts';
import { whyNotApproved } from '../model/approval.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { spaceOf } from '../operations/operations.ts';
import { packContent } from '../readers/mapping/field-digests.ts';
import type { Ledger } from '../session.ts';

const HELD = 'account_changed';

/** Held rows of a run, and all rows of that run that are open. */
type Held = { readonly of: Run; readonly own: readonly Standing[]; readonly open: readonly Standing[] };

/** What is known of their records from then on; a UsageError where a person can't say so of one. */
export async function movedRecords({ of, own, open }: Held, { redis, ...ledger }: Ledger) {
  const { keys, store } = ledger.of(of.target);
  const space = spaceOf(of.operation);
  const definition = await store.definition(of.id);
  const problem = problemOf(own, open);
  if (problem !== null || space === null || definition === null)
    throw refused(problem ?? `run ${of.id} is gone`);
  // Whoever loaded a false account is not the one who says that it is right.
  const why = definition.approval === 'required' ? whyNotApproved(keys.actor, of, isUserTold()) : null;
  if (why !== null) throw refused(why);

  const mapping = mappingFor(definition, of.source);
  const rows = await createRunView(redis, keys, of).sources(own.map(({ row }) => row));
  return [...byKey(mapping, rows.values())].map(([key, all]) => ({
    space,
    key,
    form: definition.keyForm,
    content: contentOf(key, all, mapping, keys.sealing.saltOf),
  }));
}

function refused(why: string): UsageError {
  return new UsageError([`--changed-at-service: ${why}`, 'Nothing was written off.']);
}

/** Rows of a group were held together: half of them would make half of an account list known. */
function problemOf(own: readonly Standing[], open: readonly Standing[]): string | null {
  const other = own.find(({ code }) => code !== HELD);
  if (other !== undefined)
    return `row ${other.row} of run ${other.run} was not held for its account (${HELD}).`;
  const meant = new Set(own.map(({ row }) => row));
  const left = open.find((one) => !meant.has(one.row) && own.some(({ key }) => key === one.key));
  if (left === undefined) return null;
  return `row ${left.row} of run ${left.run} is of the same record: name all its rows.`;
}

/** Rows of a group are one record. */
function byKey(mapping: Mapping, rows: Iterable<Row>): ReadonlyMap<string, Row[]> {
  const records = new Map<string, Row[]>();
  for (const row of rows) {
    const key = mapping.keyOf(row);
    if (key === null) continue;
    const own = records.get(key) ?? [];
    own.push(row);
    records.set(key, own);
  }
  return records;
}

function contentOf(
  key: string,
  rows: readonly Row[],
  mapping: Mapping,
  saltOf: (key: string) => string,
): string {
  const [first, ...others] = rows;
  const mapped = others.length === 0 && first !== undefined ? mapping.map(first) : mapping.mapGroup(rows);
  // It was compared, so that it maps.
  return mapped.kind === 'mapped' ? packContent(mapped, saltOf(key)) : '';
}
