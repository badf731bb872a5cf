/**
 * What was sent for a row, made again from what is kept of it: by the mapping that its worker used, and the same builder of requests.
 * Pure. What can't be known for sure says so instead: nothing here is a guess.
 */
import type { JobDefinition } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { UsageError } from '../lib/usage-error.ts';
import { flattenRecord } from '../model/flatten-record.ts';
import type { KeyState } from '../model/identity.ts';
import { withReferences } from '../model/json-record.ts';
import type { Reference } from '../model/mapping.ts';
import type { Call } from '../model/operation.ts';
import type { JsonObject } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { buildRequest } from '../service/operations.ts';
import type { SentShown } from '../web/row.tsx';

type Means = {
  readonly run: Run;
  readonly definition: JobDefinition | null;
  /** What the ledger says of the row's key. */
  readonly key: KeyState;
};

/** `rows`: all that were one request, as they are kept. */
export function sentFor(
  { outcome, attempts }: Pick<Settlement, 'outcome' | 'attempts'>,
  rows: readonly Row[],
  means: Means,
): SentShown {
  if (attempts === 0 && outcome !== 'in-doubt')
    return { kind: 'nothing', why: 'Nothing was sent for this row.' };
  if (rows.length === 0)
    return { kind: 'nothing', why: 'What was sent is kept only of rows that did not succeed.' };
  if (means.definition === null)
    return { kind: 'nothing', why: 'The ledger no longer has the job definition that the row was sent by.' };
  try {
    return madeAgain(rows, means.definition, means);
  } catch (error) {
    if (!(error instanceof UsageError)) return { kind: 'nothing', why: 'The request can not be made again.' };
    return { kind: 'nothing', why: `The request can not be made again: ${error.problems[0] ?? ''}` };
  }
}

function madeAgain(rows: readonly Row[], definition: JobDefinition, { run, key }: Means): SentShown {
  const mapping = mappingFor(definition, run.source);
  const [first] = rows;
  const mapped =
    definition.group === undefined && first !== undefined ? mapping.map(first) : mapping.mapGroup(rows);
  if (mapped.kind === 'issues') return { kind: 'nothing', why: 'The row does not map to a request.' };
  const updates = run.operation === 'subclient.upsert' || definition.onKnownKey === 'update';
  const known = updates && key.kind === 'known' && key.run !== run.id ? key : null;
  const { references } = mapped;
  const body = withReferences(mapped.body, references.map(placeholder));
  const request = buildRequest(callOf(run, known !== null), {
    pathId: known?.id ?? mapped.pathId,
    body,
    query: definition.query,
    own: definition.request,
  });
  const { method, path } = request;
  return {
    kind: 'request',
    method,
    path,
    fields: request.body === null ? [] : fieldsOf(body),
    notes: notesOf(known !== null, references),
  };
}

function callOf({ operation }: Run, isKnown: boolean): Call {
  if (isKnown) return 'subclient.update';
  return operation === 'subclient.upsert' ? 'subclient.create' : operation;
}

function placeholder({ path, space, key }: Reference) {
  return { path, id: `‹the identifier of ${space} ${key}›` };
}

function fieldsOf(body: JsonObject) {
  return [...flattenRecord(body)].map(([field, value]) => ({ field, value: JSON.stringify(value) }));
}

function notesOf(isUpdate: boolean, references: readonly Reference[]): string[] {
  const notes: string[] = [];
  if (isUpdate)
    notes.push(
      'Of these fields only those were sent that had changed since the service last accepted the record.',
    );
  if (references.length > 0)
    notes.push('Identifiers of other records stand as ‹…›: they were looked up as the row was sent.');
  return notes;
}
