/**
 * The front door of operations: each is one file of this folder and one line of BUILT_IN. Whoever
 * needs to know what one does asks here; nobody compares its name.
 */
import type { z } from 'zod';
import type { Call, Operation } from '../model/operation.ts';
import { counterpartyAdopt, subclientAdopt } from './adopt.ts';
import { counterpartyDraft } from './counterparty-draft.ts';
import { isOwn, nameOf, type OwnCall, ownCall } from './own.ts';
import { paymentDocuments } from './payment-documents.ts';
import type { CallSpec, OperationSpec } from './spec.ts';
import { subclientCreate } from './subclient-create.ts';
import { subclientUpdate } from './subclient-update.ts';
import { subclientUpsert } from './subclient-upsert.ts';

/** In the order in which they are offered. */
const BUILT_IN = [
  subclientCreate,
  subclientUpdate,
  subclientUpsert,
  counterpartyDraft,
  paymentDocuments,
] as const;

export type BuiltIn = (typeof BUILT_IN)[number]['name'];
export const OPERATIONS = BUILT_IN.map(({ name }) => name) as [BuiltIn, ...BuiltIn[]];

const ADOPTING = [subclientAdopt, counterpartyAdopt] as const;

export const ADOPTIONS = ADOPTING.map(({ name }) => name);

const ALL: readonly OperationSpec[] = [...BUILT_IN, ...ADOPTING];
const operations: ReadonlyMap<Operation, OperationSpec> = new Map(ALL.map((one) => [one.name, one]));
const calls: ReadonlyMap<Operation, CallSpec> = new Map(ALL.map(({ call }) => [call.name, call]));

export type BuiltInCall = (typeof BUILT_IN)[number]['call']['name'];
/** An upsert has none of its own. */
export const CALLS: readonly BuiltInCall[] = [...new Set(BUILT_IN.map(({ call }) => call.name))];

/** With what each is for, in the order in which they are offered. */
export const PURPOSES: readonly (readonly [BuiltIn, string])[] = BUILT_IN.map(({ name, purpose }) => [
  name,
  purpose,
]);

/** Whose fields have the numbers of registers. */
export const OF_ENTITIES: BuiltIn = subclientCreate.name;

export function isBuiltIn(name: string): boolean {
  return OPERATIONS.some((one) => one === name);
}

/** Of a name that nobody has, as a newer program may have written it: an error. */
export function specOf(operation: Operation): OperationSpec {
  return known(operations, operation);
}

export function callSpecOf(call: Call): CallSpec {
  return known(calls, call);
}

function known<Spec>(specs: ReadonlyMap<Operation, Spec>, name: Operation): Spec {
  const spec = specs.get(name);
  if (spec === undefined) throw new Error(`there is no operation ${name}: expected one of this program`);
  return spec;
}

/** What is known of any call, of one that a definition describes, too. */
function effectOf(call: Call): OwnCall {
  return isOwn(call) ? ownCall(call) : callSpecOf(call);
}

/** Whether it can be sent again without harm: without an idempotency key. */
export function mayRepeat(call: Call): boolean {
  return effectOf(call).mayRepeat;
}

/** Whether an attempt without a clear answer may have changed something that stays so. */
export function mayHaveChanged(call: Call): boolean {
  return isOwn(call) || effectOf(call).effect === 'changes';
}

export function outcomeOf(call: Call): CallSpec['outcome'] {
  return effectOf(call).outcome;
}

/** The report's word for a row in doubt that the service carried out. */
export function outcomeOfCreated(operation: Operation): CallSpec['outcome'] {
  return outcomeOf(callOfNew(operation));
}

/** Whether the answer is a list of records, which the report keeps. */
export function isList(call: Call): boolean {
  return !isOwn(call) && callSpecOf(call).effect === 'reads';
}

/** What becomes of a row that has its key, and none is known under it. */
export function callOfNew(operation: Operation): Call {
  return isOwn(operation) ? operation : specOf(operation).call.name;
}

/** What updates a record that is known; an error where `mayUpdate` says no. */
export function callOfKnown(operation: Operation): Call {
  const { update } = specOf(operation);
  if (update === null) throw new Error(`${operation} has no call that changes a known record`);
  return update.name;
}

export function mayUpdate(operation: Operation): boolean {
  return !isOwn(operation) && specOf(operation).update !== null;
}

/** Known keys are updated whatever the job says of them. */
export function isUpsert(operation: Operation): boolean {
  return !isOwn(operation) && specOf(operation).isUpsert;
}

/** Whether its rows name records that the service has already: nothing is sent. */
export function isAdoption(operation: Operation): boolean {
  return effectOf(callOfNew(operation)).effect === 'adopts';
}

/** What adopts the records that an operation creates; `null`: it creates none, or its own kind. */
export function adoptionFor(operation: Operation): Operation | null {
  if (isOwn(operation) || !mayCreate(operation)) return null;
  const space = spaceOf(operation);
  return ADOPTING.find((one) => one.space === space)?.name ?? null;
}

export function mayCreate(operation: Operation): boolean {
  return effectOf(callOfNew(operation)).effect === 'creates';
}

/** Where keys are unique over all runs; `null`: keys only have to be unique within the file. */
export function spaceOf(operation: Operation): string | null {
  if (!isOwn(operation)) return specOf(operation).space;
  return mayRepeat(operation) ? null : nameOf(operation);
}

/** Operations that create nothing have a space per run: only to find duplicate keys. */
export function identitySpace(run: { readonly id: string; readonly operation: Operation }): {
  readonly name: string;
  readonly ofRun: boolean;
} {
  const space = spaceOf(run.operation);
  return space === null ? { name: `run-${run.id}`, ofRun: true } : { name: space, ofRun: false };
}

/** The field that goes into the path; an upsert can do without it. */
export function pathFieldOf(operation: Operation): string | null {
  return isOwn(operation) ? null : pathPartOf(widestCall(operation));
}

/** Whether a row without that field can't be sent: the ledger knows the id of what is known. */
export function needsPathId(operation: Operation): boolean {
  return !isOwn(operation) && pathPartOf(specOf(operation).call) !== null;
}

/** Only with an id in the path may a 404 be about the row, not the address. */
export function isInPath(operation: Operation): boolean {
  return pathFieldOf(operation) !== null;
}

export function bodySchemaOf(operation: Operation): z.ZodObject | null {
  return widestCall(operation).body?.() ?? null;
}

/** The call whose path and body say what a row of the operation can carry. */
function widestCall(operation: Operation): CallSpec {
  const { call, update, isUpsert: updates } = specOf(operation);
  return updates && update !== null ? update : call;
}

/** `id` of `/v1/subclients/{id}`. */
export function pathPartOf({ path }: Pick<CallSpec, 'path'>): string | null {
  return /\{(\w+)\}$/.exec(path)?.[1] ?? null;
}

/** As the document names them; none where it names none, and of a name that is not built in. */
export function permissionsOf(name: string): readonly string[] {
  const spec = BUILT_IN.find((one) => one.name === name);
  if (spec === undefined) return [];
  const needed: readonly (CallSpec | null)[] = spec.isUpsert ? [spec.call, spec.update] : [spec.call];
  return needed.flatMap((call) => call?.permission ?? []);
}
