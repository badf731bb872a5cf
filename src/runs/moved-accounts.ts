/**
 * Held rows whose account a person has changed at the service: it is the known one from then on, so
 * that the next delivery with it is not held again.
 */
import { mappingFor } from '../delivery/run-mapping.ts';
import { knowContent } from '../engine/ledger/content.ts';
import { createRunView } from '../engine/ledger/run-view.ts';
import { isUserTold } from '../lib/machine.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Standing } from '../model/account.ts';
import { whyNotApproved } from '../model/approval.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { spaceOf } from '../operations/operations.ts';
import { packContent } from '../readers/mapping/content.ts';
import type { Ledger } from '../session.ts';

const HELD = 'account_changed';

/** A UsageError where one of them wasn't held for its account; then nothing is known anew. */
export async function knowMovedAccounts(
  of: Run,
  standing: readonly Standing[],
  { redis, ...ledger }: Ledger,
): Promise<void> {
  const { keys, store } = ledger.of(of.target);
  const space = spaceOf(of.operation);
  const definition = await store.definition(of.id);
  const others = standing.filter(({ code }) => code !== HELD);
  if (space === null || definition === null || others.length > 0) throw notHeld(of, others);
  // Whoever loaded a false account is not the one who says that it is right.
  const why = definition.approval === 'required' ? whyNotApproved(keys.actor, of, isUserTold()) : null;
  if (why !== null) throw new UsageError(`--changed-at-service: ${why}`);

  const mapping = mappingFor(definition, of.source);
  const rows = await createRunView(redis, keys, of).sources(standing.map(({ row }) => row));
  const records = [...byKey(mapping, rows.values())].map(([key, own]) => ({
    space,
    key,
    form: definition.keyForm,
    content: contentOf(key, own, mapping, keys.sealing.saltOf),
  }));
  await knowContent(redis, keys, records);
}

function notHeld({ id }: Run, others: readonly Standing[]): UsageError {
  const [first] = others;
  const which = first === undefined ? `run ${id}` : `row ${first.row} of run ${first.run}`;
  return new UsageError(
    `--changed-at-service: ${which} was not held for its account (${HELD}); nothing was written off.`,
  );
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
