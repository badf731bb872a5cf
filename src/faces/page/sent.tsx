/**
 * What was sent for a row, rebuilt from what is kept of it by its worker's mapping and request
 * builder. Where that can't be sure, it says so: nothing is guessed.
 */

import type { JobDefinition } from '../../config/job-definition.ts';
import { mappingOfRun } from '../../delivery/run-mapping.ts';
import { buildRequest } from '../../delivery/service/operations.ts';
import { Text } from '../../lib/html-text.tsx';
import { UsageError } from '../../lib/usage-error.ts';
import { flattenRecord, withReferences } from '../../model/json-record.ts';
import type { Reference } from '../../model/mapping.ts';
import type { Call } from '../../model/operation.ts';
import type { Row } from '../../model/row.ts';
import type { Run } from '../../model/run.ts';
import type { Settlement } from '../../model/settlement.ts';
import { callOfKnown, callOfNew, isUpsert } from '../../operations/operations.ts';
import type { KnownKey, RunRows } from './run-rows.ts';

type Means = Pick<RunRows, 'run' | 'definition' | 'right' | 'keys'> & {
  readonly key: KnownKey | undefined;
};

/** A text: why there is no request to show. */
type Sent = ReturnType<typeof madeAgain> | string;

/** `rows`: all rows of the request, as kept. */
export function sentFor(settlement: Settlement | null, rows: readonly Row[], means: Means): Sent {
  if (settlement === null) return 'Nothing was sent for this row yet, or it is on its way.';
  const { outcome, attempts } = settlement;
  if (attempts === 0 && outcome !== 'in-doubt') return 'Nothing was sent for this row.';
  if (rows.length === 0) return 'What was sent is kept only of rows that did not succeed.';
  if (means.definition === null)
    return 'The ledger no longer has the job definition that the row was sent by.';
  try {
    return madeAgain(rows, means.definition, means);
  } catch (error) {
    if (!(error instanceof UsageError)) return 'The request can not be made again.';
    return `The request can not be made again: ${error.problems[0] ?? ''}`;
  }
}

function madeAgain(rows: readonly Row[], definition: JobDefinition, means: Means) {
  const { run, key, right, keys } = means;
  const mapping = mappingOfRun(definition, { ...run, right }, keys.sealing.digest);
  const [first] = rows;
  const mapped =
    definition.group === undefined && first !== undefined ? mapping.map(first) : mapping.mapGroup(rows);
  if (mapped.kind === 'issues') return 'The row does not map to a request.';
  const updates = isUpsert(run.operation) || definition.onKnownKey === 'update';
  const known = updates && key?.kind === 'known' && key.run !== run.id ? key : null;
  const { references } = mapped;
  const body = withReferences(mapped.body, references.map(placeholder));
  const request = buildRequest(callOf(run, known !== null), {
    pathId: known?.id ?? mapped.pathId,
    body,
    query: definition.query,
    own: definition.request,
  });
  return {
    method: request.method,
    path: request.path,
    body: request.body === null ? null : body,
    isUpdate: known !== null,
    hasReferences: references.length > 0,
  };
}

function callOf({ operation }: Run, isKnown: boolean): Call {
  return isKnown ? callOfKnown(operation) : callOfNew(operation);
}

function placeholder({ path, space, key }: Reference) {
  return { path, id: `‹the identifier of ${space} ${key}›` };
}

const VALUE_BYTES = 2_000;

/** `said`: marks the fields that the answer names. */
export function SentShown({ sent, said }: { readonly sent: Sent; readonly said: string }) {
  if (typeof sent === 'string') return <p class="dim">{sent}</p>;
  const fields = [...flattenRecord(sent.body ?? {})];
  return (
    <>
      <p>
        <code>
          <Text of={`${sent.method} ${sent.path}`} />
        </code>
      </p>
      <dl class="fields">
        {fields.map(([field, value]) => (
          <>
            <dt class={isNamed(field, said) ? 'named' : undefined}>
              <Text of={field} />
            </dt>
            <dd>
              <Text of={JSON.stringify(value)} bytes={VALUE_BYTES} />
              {isNamed(field, said) ? <strong class="named"> ◀ the service names it</strong> : null}
            </dd>
          </>
        ))}
      </dl>
      {sent.isUpdate ? <p class="dim">{ONLY_CHANGES}</p> : null}
      {sent.hasReferences ? <p class="dim">{PLACEHOLDERS}</p> : null}
    </>
  );
}

const ONLY_CHANGES =
  'Of these fields only those were sent that had changed since the service last accepted the record.';
const PLACEHOLDERS = 'Identifiers of other records stand as ‹…›: they were looked up as the row was sent.';

/** Also as `accounts[0].iban` or `/accounts/0/iban`; a plain word may occur by chance. */
function isNamed(field: string, said: string): boolean {
  const written = [field, field.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]'), `/${field.replaceAll('.', '/')}`];
  return written.some((path) => (/[.[/]/.test(path) ? said.includes(path) : said.includes(`"${path}"`)));
}
