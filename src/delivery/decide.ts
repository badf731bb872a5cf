/**
 * Decides purely what becomes of the rows of a request, from the ledger's word (the claim of their
 * key, their marks) and their mapping. Workers carry the plans out and the check shows them. The
 * order counts: what is settled stays so; what a lost worker may have created is in doubt, whoever
 * has its key and even where it no longer maps; another row's key is never sent; only then is the
 * row mapped.
 */
import { isKnownByContent, type JobDefinition } from '../config/job-definition.ts';
import type { FirstUpdate } from '../engine/ledger/adoption.ts';
import type { KeyPlace } from '../engine/ledger/keys.ts';
import { type FirstIntent, firstIntentIn, type Mark } from '../engine/ledger/mark.ts';
import { areFieldsKnown, type FieldsChange } from '../engine/ledger/settle-entry.ts';
import type { MappedRecord } from '../model/content.ts';
import type { KeyState } from '../model/identity.ts';
import type { Issue } from '../model/issue.ts';
import { withReferences } from '../model/json-record.ts';
import type { GroupMapped, Mapped, Mapping } from '../model/mapping.ts';
import type { Call, Operation } from '../model/operation.ts';
import type { JsonObject, ServiceRequest } from '../model/request.ts';
import type { Settlement } from '../model/settlement.ts';
import {
  callOfKnown,
  callOfNew,
  isAdoption,
  isUpsert,
  mayRepeat,
  spaceOf,
} from '../operations/operations.ts';
import {
  changedFields,
  emptiedFields,
  packContent,
  packFieldDigests,
} from '../readers/mapping/field-digests.ts';
import { besideKeyless } from '../readers/mapping/group.ts';
import { blocked, blockedBy, unsendable } from './blocked.ts';
import type { Idempotency } from './idempotency.ts';
import {
  type Change,
  changeOf,
  endOfKnown,
  heldForAccount,
  NOT_KNOWN,
  UNCHANGED,
  warningOfAccount,
} from './known-content.ts';
import { type Answers, type Questions, resolveReferences } from './references.ts';
import type { RowEnd, RowTask } from './row-task.ts';
import type { ServiceEdge } from './run-context.ts';

export type Plan =
  | { readonly kind: 'done'; readonly change?: Change }
  /** `ends`: of rows of the request that end otherwise. */
  | {
      readonly kind: 'end';
      readonly end: RowEnd;
      readonly ends?: ReadonlyMap<number, RowEnd>;
      /** Of a known key: against what the service has. */
      readonly change?: Change;
    }
  | {
      readonly kind: 'send';
      readonly request: ServiceRequest;
      /** A dead worker's intent that is taken over, `''` where the row is untouched. */
      readonly expected: string;
      /** A dead worker's, of this very request. */
      readonly first?: FirstIntent;
      /** What looked damaged, by row. */
      readonly warnings?: Warnings;
      /** Of the record, once it is accepted; `''`: the ledger keeps none. */
      readonly content: string;
      /** Known field digests, before and after the request is accepted. */
      readonly fields?: PlannedFields;
      /** Left out: the record is new. */
      readonly change?: Change;
      /** Of a record that no run has updated, as far as is known. */
      readonly firstUpdate?: FirstUpdate;
    }
  | {
      readonly kind: 'ask';
      readonly questions: Questions;
      /** `wait`: ask again in a moment. */
      decide(answers: Answers): Plan | { readonly kind: 'wait' };
    };

/** `contentBefore`: what is known of the whole record where `before` holds. */
type PlannedFields = FieldsChange & { readonly contentBefore: string };

type Warnings = ReadonlyMap<number, readonly Issue[]>;

type OfTask =
  | 'run'
  | 'row'
  | 'identityKey'
  | 'rowContent'
  | 'claim'
  | 'accounts'
  | 'possiblySent'
  | 'keyless';

/** What is decided of: a row with those that go in its request. */
type Undecided = Pick<RowTask, OfTask> & {
  readonly members: readonly Pick<RowTask, 'row'>[];
};

type Means = {
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly service: Pick<ServiceEdge, 'build'>;
  readonly idempotency?: Idempotency | null;
  /** The plan is only shown: what would be recorded of an accepted request is left out. */
  readonly isForeseen?: true;
  /** What goes into the digests of a record's fields; left out: its key. */
  readonly saltOf?: (key: string) => string;
};

type Marks = ReadonlyMap<number, Mark>;
type Intent = Extract<Mark, { kind: 'intent' }>;
type Sent = Extract<Plan, { kind: 'send' }>;
export type End = Extract<Plan, { kind: 'end' }>;

/** For a running run. A row on which the program itself fails is invalid: its chunk must end. */
export function decide(task: Undecided, marks: Marks, means: Means): Plan {
  const mark = marks.get(task.row.row);
  // An invalid member says nothing of the others: all are looked at again.
  const settled = settledPlan(task, marks, ({ outcome }) => outcome !== 'invalid');
  if (settled !== null) return settled;
  try {
    return decideOpen(task, mark?.kind === 'intent' ? mark : null, means);
  } catch (error) {
    return internalError(error);
  }
}

/** For a cancelled run: nothing more is sent, and what may have been sent is in doubt. */
export function decideCancelled(task: Undecided, marks: Marks): Plan {
  const settled = settledPlan(task, marks, () => true);
  if (settled !== null) return settled;
  if (marks.has(task.row.row)) return LOST;
  const mayCreate = !mayRepeat(callOfNew(task.run.operation));
  const isDoubtful = task.possiblySent && mayCreate;
  return { kind: 'end', end: isDoubtful ? JOURNAL_LOST : { outcome: 'cancelled' } };
}

/**
 * Rows of a group end together: where a worker died while it recorded them, the others get what one
 * of them has. `decides`: a member with that settlement decides for the others. `null`: nothing is
 * settled.
 */
function settledPlan(
  { row: leader, members }: Undecided,
  marks: Marks,
  decides: (settled: Settlement) => boolean,
): Plan | null {
  const first = marks.get(leader.row);
  if (members.length === 0) return first?.kind === 'settled' ? { kind: 'done' } : null;
  const marked = members.map(({ row }) => marks.get(row.row));
  const others = marked.filter((mark) => mark?.kind === 'settled');
  if (first?.kind === 'settled')
    return others.length === members.length ? { kind: 'done' } : endLike(first.settlement);
  const decided = others.find(({ settlement }) => decides(settlement));
  return decided === undefined ? null : endLike(decided.settlement);
}

function endLike({ row, outcome, ...settled }: Settlement): End {
  if (outcome === 'invalid')
    return blocked('group_member', "row {row}, of the same key, can't be sent", { row });
  const { status, id, attempts, ms, code, message, values } = settled;
  return { kind: 'end', end: { outcome, status, id, attempts, ms, code, message, values } };
}

function decideOpen(task: Undecided, mark: Intent | null, means: Means): Plan {
  if (isAdoption(task.run.operation)) return adoptedPlan(task, means);
  const { definition } = means;
  const step = stepOf(task, definition);
  const call = step.kind === 'end' ? callOfNew(task.run.operation) : step.call;
  // The key was the row's when it was sent, whoever has it now.
  if (mark !== null && !mayRepeat(call)) return repeated(task, mark.text, step, means);
  if (step.kind === 'end') return comparedPlan(task, step, means);
  if (task.possiblySent && !mayRepeat(step.call)) return { kind: 'end', end: JOURNAL_LOST };
  const held = heldForAccount(task.accounts, definition.guard.accounts);
  if (held !== null) return { kind: 'end', end: held };
  return mappedPlan(task, mark?.text ?? '', step, means);
}

/** Nothing is sent: the row says under which id the service has the record. */
function adoptedPlan(task: Undecided, means: Means): Plan {
  const mapped = mappedOf(task, means);
  if (mapped.kind === 'issues') return invalidGroup(mapped.issues, task);
  const id = mapped.pathId ?? '';
  const warnings = [...mapped.warnings.values()].flat();
  const { claim } = task;
  switch (claim.kind) {
    case 'claimed':
      return { kind: 'end', end: { outcome: 'adopted', id, warnings } };
    case 'known':
      if (claim.id === id) return { kind: 'end', end: { outcome: 'skipped', code: 'key_known', id } };
      return unsendable('key_known', 'known since run {run} as {id}', { run: claim.run, id: claim.id });
    default:
      return blockedBy(claim, means.definition);
  }
}

/** A create that may have been sent: that very request, or a doubt. */
function repeated(task: Undecided, mark: string, step: Step, means: Means): Plan {
  const { idempotency } = means;
  const first = firstIntentIn(mark);
  if (step.kind === 'end' || task.possiblySent) return LOST;
  if (first === null || !idempotency?.isRemembered(first)) return LOST;
  const ifSame = (plan: Plan): Plan => {
    if (plan.kind !== 'send') return LOST;
    const { value } = plan.request.idempotency ?? {};
    return value === first.value ? { ...plan, first } : LOST;
  };
  try {
    const plan = mappedPlan(task, mark, step, means);
    if (plan.kind !== 'ask') return ifSame(plan);
    const decide = (answers: Answers) => {
      const next = plan.decide(answers);
      return next.kind === 'wait' ? next : ifSame(next);
    };
    return { ...plan, decide };
  } catch {
    return LOST;
  }
}

function mappedPlan(task: Undecided, expected: string, step: OfCall, means: Means): Plan {
  const mapped = mappedOf(task, means);
  if (mapped.kind === 'issues') return invalidGroup(mapped.issues, task);
  if (isUnknown(task, means.definition)) throw new Error('a row without an identity');
  const outgoing = {
    task,
    step,
    mapped,
    expected,
    tracked: trackedFields(task, means.definition),
  };
  return planOf(outgoing, means);
}

/** What goes in the request of these rows. */
function mappedOf(task: Undecided, { definition, mapping }: Means): GroupMapped {
  const isGroup = definition.group !== undefined;
  const mapped = isGroup ? mergedOf(task, mapping) : mappedRow(task, mapping);
  const warning = warningOfAccount(task.accounts, task.row);
  if (mapped.kind === 'issues') return mapped;
  if (warning === null) return mapped;
  return {
    ...mapped,
    warnings: withWarning(mapped, warning),
  };
}

function mappedRow(task: Undecided, mapping: Mapping): GroupMapped {
  const mapped = mapping.map(task.row);
  const ofRow = (issues: readonly Issue[]) => new Map([[task.row.row, issues]]);
  if (mapped.kind === 'issues') return { kind: 'issues', issues: ofRow(mapped.issues) };
  const warnings = warningsOf(mapped, task);
  const { kind, body, pathId, references } = mapped;
  const told = warnings.length > 0 ? ofRow(warnings) : NO_WARNINGS;
  // By name: a copy of the whole costs a row more than all else here.
  return { kind, body, pathId, references, warnings: told };
}

/** `''`: the ledger keeps nothing of such records. */
function contentOf({ run, identityKey }: Undecided, mapped: MappedRecord, means: Means): string {
  const { definition } = means;
  const isKept = definition.key !== undefined && spaceOf(run.operation) !== null;
  if (!isKept || identityKey === null) return '';
  return packContent(mapped, saltOf({ key: identityKey }, means));
}

const NO_WARNINGS: Warnings = new Map();

/** It did not map when its file was read, so nobody would know that it was created. */
function isUnknown({ identityKey }: Undecided, definition: JobDefinition): boolean {
  return identityKey === null && isKnownByContent(definition);
}

type OfRow = Extract<Mapped, { kind: 'mapped' }>;

function warningsOf({ warnings }: OfRow, { row: { row, line }, rowContent }: Undecided): readonly Issue[] {
  if (rowContent?.nth === undefined) return warnings;
  const values = { nth: String(rowContent.nth) };
  const expected =
    'a row unlike all others of its file; it is sent as number {nth} of those that say the same';
  return [...warnings, { row, line, column: null, value: null, expected, values, code: 'same_row' }];
}

function isOneText({ row: leader, members }: Undecided, { keyOf }: Mapping): boolean {
  return members.length === 0 || members.every(({ row }) => keyOf(row) === keyOf(leader));
}

function mergedOf({ row: leader, members, keyless }: Undecided, mapping: Mapping): GroupMapped {
  const rows = [leader, ...members.map(({ row }) => row)];
  return keyless === null ? mapping.mapGroup(rows) : besideKeyless(rows, keyless);
}

/** None of the rows is sent, each for its own reason. */
function invalidGroup(issues: Warnings, { row: leader }: Undecided): End {
  const ends = new Map([...issues].map(([row, own]) => [row, invalid(own).end]));
  return { ...invalid(issues.get(leader.row) ?? []), ends };
}

/** The call that a row becomes, or its end where the claim of its key allows none. */
type Step = End | OfCall;
type OfCall = {
  readonly kind: 'call';
  readonly call: Call;
  readonly knownId: string | null;
};

function stepOf({ claim, run }: Undecided, definition: JobDefinition): Step {
  switch (claim.kind) {
    case 'claimed':
      return { kind: 'call', call: callOfNew(run.operation), knownId: null };
    case 'known':
      return stepOfKnown(claim, run.operation, definition);
    default:
      return blockedBy(claim, definition);
  }
}

/** The end of rows that aren't sent; known records are compared with what was sent of them. */
function comparedPlan(task: Undecided, plan: End, means: Means): Plan {
  const { definition, mapping } = means;
  const { claim, row } = task;
  const texts = isOneText(task, mapping) ? null : mergedOf(task, mapping);
  if (texts?.kind === 'issues') return invalidGroup(texts.issues, task);
  if (claim.kind !== 'known' || plan.end.outcome !== 'skipped') return plan;

  const { now, change } = compared(task, claim, means);
  const end = endOfKnown({ row, ...claim, now, change }, definition.guard.accounts);
  return { kind: 'end', end, change };
}

type Known = Extract<Undecided['claim'], { kind: 'known' }>;

/** A row against what is known of its record. `now`: its own content. */
function compared(task: Undecided, { content }: Pick<Known, 'content'>, means: Means) {
  // Its content is what it is known by.
  if (isKnownByContent(means.definition)) return { now: '', change: UNCHANGED };
  const mapped = mappedOf(task, means);
  const now = mapped.kind === 'mapped' ? contentOf(task, mapped, means) : '';
  // What no longer maps, or has no key, can't be compared.
  const change = now === '' ? NOT_KNOWN : changeOf(now, content);
  return { now, change };
}

/** Of a row with which the run of its very file is done: it may have been changed since. */
export function doneWith(task: Undecided, state: KeyState, means: Means): Plan {
  const change = state.kind === 'known' ? compared(task, state, means).change : NOT_KNOWN;
  return { kind: 'done', change };
}

function stepOfKnown({ run, id }: Known, operation: Operation, definition: JobDefinition): Step {
  const { onKnownKey } = definition;
  const mayUpdate = isUpsert(operation) || onKnownKey === 'update';
  // Where its content is what it is known by, there is nothing to update.
  const ofKnown = isKnownByContent(definition) ? 'skip' : 'update';
  const policy = mayUpdate ? ofKnown : onKnownKey;
  switch (policy) {
    case 'update':
      return { kind: 'call', call: callOfKnown(operation), knownId: id };
    case 'skip':
      return SKIPPED;
    case 'fail':
      return unsendable('key_known', id === '' ? CREATED_BEFORE : `${CREATED_BEFORE} as {id}`, { run, id });
    default:
      return policy satisfies never;
  }
}

/** What is said of it depends on what the record was created with (`comparedPlan`). */
const SKIPPED: End = { kind: 'end', end: { outcome: 'skipped', code: 'key_known' } };
const CREATED_BEFORE = 'already created by run {run}';

function invalid(issues: readonly Issue[]): End {
  const code = issues[0]?.code ?? 'unreadable_row';
  return { kind: 'end', end: { outcome: 'invalid', code, issues } };
}

type Outgoing = {
  readonly task: Undecided;
  readonly step: OfCall;
  readonly mapped: Extract<GroupMapped, { kind: 'mapped' }>;
  readonly expected: string;
  readonly tracked: KeyPlace | null;
};

/** A record of a job that updates: what the service has is known field by field. */
function trackedFields({ run, identityKey: key }: Undecided, definition: JobDefinition): KeyPlace | null {
  const space = spaceOf(run.operation);
  const mayUpdate = isUpsert(run.operation) || definition.onKnownKey === 'update';
  if (!mayUpdate || definition.key === undefined || space === null || key === null) return null;
  return { space, key, form: definition.keyForm };
}

function planOf(outgoing: Outgoing, means: Means): Plan {
  const { mapped, step, tracked } = outgoing;
  const fieldsOf = step.knownId === null ? null : tracked;
  if (mapped.references.length === 0 && fieldsOf === null)
    return sendPlan(outgoing, { body: mapped.body, known: '' }, means);
  return {
    kind: 'ask',
    questions: { references: mapped.references, fieldsOf },
    decide(answers) {
      try {
        return planInformed(outgoing, answers, means);
      } catch (error) {
        return internalError(error);
      }
    },
  };
}

function planInformed(outgoing: Outgoing, answers: Answers, means: Means): Plan | { readonly kind: 'wait' } {
  const { task, mapped, step, tracked } = outgoing;
  const { fields } = answers;
  const resolved = resolveReferences(task, mapped.references, answers);
  if (resolved.kind === 'wait') return resolved;
  if (resolved.kind === 'issues') return invalid(resolved.issues);
  const whole = withReferences(mapped.body, resolved.ids);
  if (step.knownId === null || tracked === null)
    return sendPlan(outgoing, { body: whole, known: fields }, means);
  return updatePlan(outgoing, { whole, fields, id: step.knownId, tracked }, means);
}

type Update = {
  readonly whole: JsonObject;
  /** As the service last accepted them (`areFieldsKnown`). */
  readonly fields: string;
  readonly id: string;
  readonly tracked: KeyPlace;
};

/** Of a known record: what has changed, or all where its fields are not known one by one. */
function updatePlan(outgoing: Outgoing, { whole, fields, id, tracked }: Update, means: Means): Plan {
  const { task, mapped } = outgoing;
  const known = task.claim.kind === 'known' ? task.claim.content : undefined;
  if (!areFieldsKnown(fields)) {
    // Nobody has updated it since it was created, or what an update left is unknown.
    const change = fields === '' ? changeOf(contentOf(task, mapped, means), known) : NOT_KNOWN;
    if (change.kind === 'unchanged') return unchanged(id);
    const plan = { ...sendPlan(outgoing, { body: whole, known: fields }, means), change };
    const { claim, row } = task;
    if (claim.kind !== 'known' || fields !== '' || known !== undefined) return plan;
    return { ...plan, firstUpdate: { madeBy: claim.run, row: row.row, id } };
  }

  const body = changedFields(whole, saltOf(tracked, means), fields);
  const emptied = emptiedWarning(outgoing, emptiedFields(means.mapping.fields, whole, fields));
  if (body === null) return emptied === null ? unchanged(id) : unchangedBut(id, emptied);
  const change = { kind: 'changed', accounts: 'same', body } as const;
  const plan = sendPlan(outgoing, { body, known: fields }, means);
  return { ...plan, change, ...(emptied !== null && { warnings: withWarning(plan, emptied) }) };
}

/** An empty cell is left out, so that the service keeps what it has there. */
function emptiedWarning({ task }: Outgoing, emptied: Mapping['fields']): Issue | null {
  if (emptied.length === 0) return null;
  const { row, line } = task.row;
  const values = { fields: emptied.map((path) => path.join('.')).join(', ') };
  const expected = 'what the service has in {fields}: these are empty here, and that was not sent';
  return { row, line, column: null, value: null, expected, values, code: 'emptied_not_sent' };
}

function unchangedBut(id: string, emptied: Issue): End {
  const end = { outcome: 'skipped', id, code: 'unchanged', message: SAME_BUT, warnings: [emptied] } as const;
  return { kind: 'end', end, change: { kind: 'changed', accounts: 'same' } };
}

const SAME_BUT = 'no field that is filled has changed since the service last accepted the record';

function withWarning({ warnings = NO_WARNINGS }: Pick<Sent, 'warnings'>, warning: Issue): Warnings {
  return new Map([...warnings, [warning.row, [...(warnings.get(warning.row) ?? []), warning]]]);
}

function unchanged(id: string): End {
  const end = { outcome: 'skipped', id, code: 'unchanged', message: SAME_FIELDS } as const;
  return { kind: 'end', end, change: UNCHANGED };
}

const SAME_FIELDS = 'no field has changed since the service last accepted the record';

/** `known`: digests of the fields as the service has them. */
function sendPlan(
  { task, step, mapped, expected, tracked }: Outgoing,
  { body, known }: { readonly body: JsonObject; readonly known: string },
  means: Means,
): Sent {
  const { service, idempotency } = means;
  const pathId = step.knownId ?? mapped.pathId;
  const built = service.build(step.call, { pathId, body });
  const request = idempotency?.withValue(built, task.row.row) ?? built;
  const { warnings } = mapped;
  const isRecorded = means.isForeseen !== true;
  const content = isRecorded ? contentOf(task, mapped, means) : '';
  // Most rows: building the object from parts costs more than the rest of the plan.
  if (warnings.size === 0 && tracked === null) return { kind: 'send', request, expected, content };
  return {
    kind: 'send',
    request,
    expected,
    content,
    ...(warnings.size > 0 && { warnings }),
    ...(tracked !== null &&
      isRecorded && {
        fields: plannedFields(tracked, { body, known, content, task }, means),
      }),
  };
}

function saltOf({ key }: Pick<KeyPlace, 'key'>, means: Means): string {
  return means.saltOf?.(key) ?? key;
}

function plannedFields(
  record: KeyPlace,
  {
    body,
    known,
    content,
    task,
  }: Pick<Outgoing, 'task'> & {
    readonly body: JsonObject;
    readonly known: string;
    readonly content: string;
  },
  means: Means,
): PlannedFields {
  const { space, key, form } = record;
  const before = areFieldsKnown(known) ? known : '';
  const after = packFieldDigests(body, saltOf(record, means), before);
  const isUnderWay = known !== before;
  const { claim } = task;
  const contentBefore = claim.kind === 'known' && !isUnderWay ? (claim.content ?? '') : '';
  return { space, key, form, before: known, after, content, contentBefore };
}

function internalError(error: unknown): End {
  const name = error instanceof Error ? error.name : 'unknown';
  const message = `this row could not be made into a request: a defect of the program (${name})`;
  return { kind: 'end', end: { outcome: 'invalid', code: 'internal', message } };
}

export const WORKER_LOST: RowEnd = {
  outcome: 'in-doubt',
  code: 'worker_lost',
  message: 'the worker ended while the request was in flight',
};

const LOST: Plan = { kind: 'end', end: WORKER_LOST };

const JOURNAL_LOST: RowEnd = {
  outcome: 'in-doubt',
  code: 'journal_lost',
  message: 'Redis lost what it knew, and the journal of a worker that may have sent the row is gone',
};
