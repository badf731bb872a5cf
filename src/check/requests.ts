import type { JobDefinition } from '../config/job-definition.ts';
import { withReferences } from '../model/json-record.ts';
import type { ServiceRequest } from '../model/request.ts';
import { buildRequest } from '../service/operations.ts';
import type { StateOf } from './references.ts';
import type { Standing } from './standing.ts';
import type { Unit } from './units.ts';

/** A request as it would be sent; holds personal data. */
export type SampleRequest = {
  /** The first of its rows. */
  readonly row: number;
  readonly line: number;
  readonly method: ServiceRequest['method'];
  /** Below the service's address, with the query. */
  readonly path: string;
  /** `null`: it has none. */
  readonly body: unknown;
  /** What it refers to has to be loaded first: now its rows would be invalid. */
  readonly waits: boolean;
};

/** An update may send less than this: only the fields that changed since the service last accepted them. */
export function sampleRequest(
  unit: Unit,
  standing: Extract<Standing, { kind: 'sent' }>,
  {
    definition,
    stateOf,
    waits,
  }: { readonly definition: JobDefinition; readonly stateOf: StateOf; readonly waits: boolean },
): SampleRequest | null {
  const { mapped, first } = unit;
  if (mapped.kind === 'issues') return null;
  const resolved = mapped.references.map(({ space, key, path }) => {
    const state = stateOf(space, key);
    return { path, id: state.kind === 'known' ? state.id : `<id of the ${space} ${key}>` };
  });
  const { method, path, body } = buildRequest(standing.call, {
    pathId: standing.knownId ?? mapped.pathId,
    body: withReferences(mapped.body, resolved),
    query: definition.query,
  });
  const { row, line } = first;
  return { row, line, method, path, body: body === null ? null : JSON.parse(body), waits };
}
