/**
 * Drafts of job definitions: what a file's first rows suggest, changed as the form says, compiled
 * as any definition is, and shown by what would really be sent of those rows. Each is made anew
 * from the form; nothing is kept. Columns are suggested, but for the key: that is decided by
 * somebody, since a wrong one makes records twice or keeps them from being sent. Pure.
 */

import { parseFormJob } from '../../config/load-job.ts';
import { definitionProblems, mappingFor } from '../../delivery/run-mapping.ts';
import { buildRequest, fieldCatalog } from '../../delivery/service/operations.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { UsageError } from '../../lib/usage-error.ts';
import type { Issue } from '../../model/issue.ts';
import type { FileMapping, Mapped } from '../../model/mapping.ts';
import type { JsonValue } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import { type BuiltIn, callOfNew, OPERATIONS, pathFieldOf } from '../../operations/operations.ts';
import { seenWords } from '../../readers/mapping/proposal/job-yaml.ts';
import {
  cellsOf,
  chosenKey,
  type JobProposal,
  type KeyGuess,
  requiredOf,
} from '../../readers/mapping/proposal/propose-job.ts';
import { createFieldLookup, parseFieldPath } from '../../readers/mapping/request-field.ts';
import { type FileSample, likeliestOperation, proposalText, proposeFor } from '../../runs/check/proposal.ts';
import { COLUMNS_SHOWN } from '../web/words.tsx';
import { datesOf, notationsFor, questionOf, readingOf, readingWords } from './column-readings.ts';

const SAMPLES = 3;

type ColumnChoice = {
  /** '': not sent. */
  readonly field: string;
  /** One of the offered readings; '': the field's own. */
  readonly reading: string;
  /** Ticked beside the forms of its dates. */
  readonly isConfirmed?: boolean;
};

export type KeyChoice =
  | { readonly kind: 'column'; readonly at: number }
  /** `isUnderstood`: ticked beside what having none means. */
  | { readonly kind: 'open' | 'none'; readonly isUnderstood: boolean };

export type DraftForm = {
  readonly operation: string;
  /** The operation whose fields the columns have. */
  readonly mappedFor: string;
  readonly job: string;
  readonly key: KeyChoice;
  readonly columns: readonly ColumnChoice[];
};

export type Draft = ReturnType<typeof draftOf>;
export type DraftColumn = ReturnType<typeof columnsOf>[number];

/** What the file suggests where there is no form, or its columns are another operation's. */
export function draftOf(
  sample: FileSample,
  operationName: string | null,
  form: DraftForm | null,
  /** Names of the jobs that there are. */
  taken: readonly string[] = [],
) {
  const columns = sample.source.columns.slice(0, COLUMNS_SHOWN);
  const shown = { ...sample, source: { ...sample.source, columns } };
  const operation = OPERATIONS.find((one) => one === operationName) ?? likeliestOperation(shown);
  const proposed = proposeFor(shown, operation);
  const isSame = form?.mappedFor === operation && form.columns.length === columns.length;
  const suggested = choicesOf(proposed, shown, taken);
  const choices = isSame ? form : { ...suggested, job: form?.job ?? suggested.job };
  const unknown = unknownFields(operation, choices.columns);
  const { proposal, problems } = changed(proposed, choices, { sample, unknown });
  const compiled = compile(proposal, choices.job, sample);
  const mapped = compiled.mapping === null ? [] : sample.rows.map(compiled.mapping.map);
  // A cell that looks damaged keeps its row back, and the others would not be shown.
  const ifRight = compiled.mapping === null ? [] : sample.rows.map(compiled.mapping.lifting(() => true).map);
  const mappedColumns = columnsOf(shown, choices, { operation, proposed, mapped, ifRight, unknown });
  return {
    operation,
    job: choices.job,
    key: keyShown(shown, choices, proposed),
    columns: mappedColumns,
    /** Questions that are answered before the job is saved. */
    unconfirmed: mappedColumns.filter(isUnconfirmed).map(({ column }) => `“${column}”: ${UNCONFIRMED}`),
    /** Columns behind these: they are not sent. */
    more: sample.source.columns.length - columns.length,
    fields: fieldsOf(operation),
    /** As it would be sent; `null`: no row can be. */
    request: firstRequest(operation, mapped),
    yaml: compiled.yaml,
    /** Why it is no job definition yet; columns first: other problems follow from them. */
    problems: [
      ...(taken.includes(choices.job)
        ? [`There is a job “${choices.job}” already: choose another name.`]
        : []),
      ...(problems.length > 0 ? problems : compiled.problems),
    ],
  };
}

/** What was typed and is no field of the operation, with why. */
function unknownFields(operation: BuiltIn, columns: readonly ColumnChoice[]): ReadonlyMap<string, string> {
  const catalog = fieldCatalog(operation);
  const find = createFieldLookup(catalog, pathFieldOf(operation));
  const unknown = new Map<string, string>();
  for (const { field } of columns) {
    if (field === '' || unknown.has(field)) continue;
    const path = parseFieldPath(field);
    const found = typeof path === 'string' ? 'unknown' : find(path).kind;
    if (found === 'leaf' || found === 'opaque') continue;
    const why = found === 'container' ? 'has fields of its own: expected one of them' : 'is no field';
    unknown.set(field, `${field} ${why}.${didYouMean(field, fieldsOf(operation))}`);
  }
  return unknown;
}

function fieldsOf(operation: BuiltIn): readonly string[] {
  const own = [pathFieldOf(operation) ?? []].flat();
  return [...own, ...fieldCatalog(operation).keys()].map((field) => field.replaceAll('#', '0'));
}

function choicesOf(
  { operation, fields, itself }: JobProposal,
  { source, file }: FileSample,
  taken: readonly string[],
): DraftForm {
  return {
    operation,
    mappedFor: operation,
    job: freeName(jobName(file), taken),
    key: { kind: 'open', isUnderstood: false },
    columns: source.columns.map((column) => {
      const proposed = fields.find((field) => field.column === column && field.isDecided);
      if (proposed !== undefined) return { field: proposed.field, reading: readingOf(proposed.notation) };
      return { field: itself.includes(column) ? column : '', reading: '' };
    }),
  };
}

function jobName(file: string): string {
  const name = file
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .toLowerCase();
  return name === '' ? 'partner' : name.slice(0, 60);
}

function changed(
  proposed: JobProposal,
  { key, columns }: DraftForm,
  { sample, unknown }: { readonly sample: FileSample; readonly unknown: ReadonlyMap<string, string> },
): { readonly proposal: JobProposal; readonly problems: readonly string[] } {
  const { source } = sample;
  const problems: string[] = [];
  const keyColumn = key.kind === 'column' ? source.columns[key.at] : undefined;
  const placed = source.columns.map((column, i) => {
    const { field, reading } = columns[i] ?? { field: '', reading: '' };
    return { column, field, reading };
  });
  const isItself = ({ column, field, reading }: (typeof placed)[number]) =>
    field === column && reading === '';
  for (const { column, field } of placed)
    if (unknown.has(field)) problems.push(`"${column}": ${unknown.get(field)}`);
  const sent = placed.filter(({ field }) => field !== '' && !unknown.has(field));
  const offered = (column: string, reading: string) => {
    const notation = notationsFor(column, proposed).get(reading);
    if (notation === undefined)
      problems.push(`"${column}": expected one of the ways of reading that the page offers, got ${reading}`);
    return notation ?? {};
  };
  const filled = new Map(sent.map(({ field, column }) => [field, column]));
  for (const { field, column } of sent) {
    const last = filled.get(field);
    if (last === column) continue;
    problems.push(`"${column}" and "${last}" both fill ${field}: expected one of them to`);
  }

  const mapped = sent.filter((one) => !isItself(one));
  const fields = mapped.map(({ column, field, reading }) => {
    const notation = offered(column, reading);
    return { field, column, notation, notes: [], isDecided: true };
  });
  const notSent = placed.filter(({ column, field }) => column !== '' && (field === '' || unknown.has(field)));
  const open = notSent.filter(({ column }) => column !== keyColumn);
  const { missingId } = proposed;
  const hasId = missingId !== null && filled.has(missingId);
  return {
    problems,
    proposal: {
      ...proposed,
      key: keyColumn === undefined ? null : guessOf(keyColumn, proposed, sample),
      isKeyless: key.kind === 'none' && key.isUnderstood,
      candidates: [],
      fields,
      itself: sent.filter(isItself).map(({ column }) => column),
      open: open.map(({ column }) => ({ column, reason: 'not sent' })),
      required: requiredOf(filled, (field) => shareOf(filled.get(field), sample)),
      missingId: hasId ? null : missingId,
    },
  };
}

/** Of the sample's rows, that have something in the column. */
function shareOf(column: string | undefined, { rows, source }: FileSample): number {
  const at = source.columns.indexOf(column ?? '');
  const cells = rows.map((row) => textsOf(row, source.columns)[at] ?? '');
  return cells.length === 0 ? 0 : cells.filter((cell) => cell !== '').length / cells.length;
}

function guessOf(column: string, { candidates }: JobProposal, sample: FileSample): KeyGuess {
  return candidates.find((one) => one.column === column) ?? chosenKey(column, sample);
}

/** What is chosen, what there is to choose from, and what speaks for each. */
function keyShown(sample: FileSample, { key }: DraftForm, proposed: JobProposal) {
  const { source, rows } = sample;
  const shown = (guess: KeyGuess) => ({
    at: source.columns.indexOf(guess.column),
    column: guess.column,
    seen: seenWords(guess, rows.length).join(' '),
  });
  const column = key.kind === 'column' ? source.columns[key.at] : undefined;
  const chosen = column === undefined ? null : guessOf(column, proposed, sample);
  const problem = chosen === null ? undecidedWords(key) : null;
  return {
    choice: key,
    chosen: chosen === null ? null : shown(chosen),
    candidates: proposed.candidates.map(shown),
    /** Why the job can't be saved yet. */
    problem,
    state: problem === null ? stateOf(chosen) : 'open',
  } as const;
}

function stateOf(chosen: KeyGuess | null): 'doubtful' | 'decided' {
  const isDoubtful = chosen !== null && (chosen.flaws > 0 || chosen.note !== null);
  return isDoubtful ? 'doubtful' : 'decided';
}

function undecidedWords(key: KeyChoice): string | null {
  if (key.kind !== 'none')
    return 'The key is not decided: choose its column, or “no key” with the tick below it. Then the job can be saved.';
  if (key.isUnderstood) return null;
  return '“No key” needs the tick below it, beside what that means. Then the job can be saved.';
}

function freeName(name: string, taken: readonly string[]): string {
  const names = [name, ...taken.map((_, i) => `${name}-${i + 2}`)];
  return names.find((one) => !taken.includes(one)) ?? name;
}

type Compiled = {
  readonly yaml: string;
  readonly mapping: FileMapping | null;
  readonly problems: readonly string[];
};

function compile(proposal: JobProposal, job: string, sample: FileSample): Compiled {
  let yaml = '';
  try {
    yaml = proposalText(proposal, sample);
    const { definition } = parseFormJob(yaml, job, definitionProblems);
    return { yaml, mapping: mappingFor(definition, sample.source), problems: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { yaml, mapping: null, problems: error.problems };
  }
}

function isUnconfirmed({ dates, isConfirmed }: DraftColumn): boolean {
  return dates?.asks === true && !isConfirmed;
}

const UNCONFIRMED = 'its dates have several forms. Tick that they are read right, then the job can be saved.';

type Around = {
  readonly operation: BuiltIn;
  readonly proposed: JobProposal;
  readonly mapped: readonly Mapped[];
  /** The same, where cells that only look damaged are right. */
  readonly ifRight: readonly Mapped[];
  readonly unknown: ReadonlyMap<string, string>;
};

/** The file's columns, each with what would really be sent of it. */
function columnsOf({ source, rows }: FileSample, { key, columns }: DraftForm, around: Around) {
  const { operation, proposed, mapped, ifRight, unknown } = around;
  const candidates = proposed.candidates.map(({ column }) => column);
  const cells = rows.map((row) => textsOf(row, source.columns));
  const refusals = byColumn(mapped.flatMap((one) => (one.kind === 'issues' ? one.issues : [])));
  const warnings = byColumn(mapped.flatMap((one) => (one.kind === 'mapped' ? one.warnings : [])));
  return source.columns.map((column, i) => {
    const { field = '', reading = '', isConfirmed = false } = columns[i] ?? {};
    const seen = cells.map((row, at) => ({ cell: row[i] ?? '', of: ifRight[at] }));
    const filled = seen.filter(({ cell }) => cell !== '');
    const [bad, odd] = [refusals.get(column) ?? [], warnings.get(column) ?? []];
    const offered = notationsFor(column, proposed);
    const own = proposed.fields.find((one) => one.column === column);
    const asked = {
      ...{ operation, field, reading, proposed: own },
      ...{ cells: filled.map(({ cell }) => cell), issues: [...bad, ...odd], offered },
    };
    const question = questionOf(asked);
    const isTold = ({ code }: Issue) => code !== 'number_cell' || question === null;
    return {
      column,
      field,
      /** Why there is no such field; `null`: there is. */
      fieldProblem: unknown.get(field) ?? null,
      reading,
      isConfirmed,
      /** What somebody has to say, each answer a button. */
      question,
      dates: datesOf(asked),
      readings: [...offered].map(([value, notation]) => ({
        value,
        words: readingWords(notation),
      })),
      isKey: key.kind === 'column' && key.at === i,
      /** Share of the sample rows with something in this column, 0 to 1. */
      filled: rows.length === 0 ? 0 : filled.length / rows.length,
      samples: samplesOf(filled, field),
      isCandidate: candidates.includes(column),
      notes: own?.notes ?? [],
      refused: refusedOf(bad.filter(isTold)),
      /** What looks damaged and is sent all the same. */
      warned: refusedOf(odd.filter(isTold)),
    };
  });
}

function byColumn(issues: readonly Issue[]): ReadonlyMap<string | null, readonly Issue[]> {
  const found = new Map<string | null, Issue[]>();
  for (const issue of issues) found.set(issue.column, [...(found.get(issue.column) ?? []), issue]);
  return found;
}

export function textsOf(row: Row, columns: readonly string[]): readonly string[] {
  return cellsOf(row, columns).map((cell) => (typeof cell === 'string' ? cell : JSON.stringify(cell)));
}

type Seen = { readonly cell: string; readonly of: Mapped | undefined };

/** Cells that differ, each with what is sent of its own row; rows that can be sent come first. */
function samplesOf(seen: readonly Seen[], field: string) {
  const isSent = ({ of }: Seen) => of?.kind === 'mapped';
  const found = new Map<string, string | null>();
  for (const one of [...seen.filter(isSent), ...seen.filter((other) => !isSent(other))]) {
    if (found.size < SAMPLES && !found.has(one.cell)) found.set(one.cell, sentOf(field, one.of));
  }
  return [...found].map(([cell, sent]) => ({ cell, sent }));
}

/** `null`: nothing, or its row can't be sent. */
function sentOf(field: string, mapped: Mapped | undefined): string | null {
  if (field === '' || mapped?.kind !== 'mapped') return null;
  const path = field.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
  const pathId = path.length > 1 ? null : mapped.pathId;
  const value = valueAt(mapped.body, path) ?? pathId ?? undefined;
  return value === undefined ? null : JSON.stringify(value);
}

function valueAt(body: JsonValue, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = body;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = new Map<string, JsonValue>(Object.entries(value)).get(name);
  }
  return value;
}

const TEXT = 'text, since a number may have lost digits: correct the cells in the file';

function refusedOf(issues: readonly Issue[]) {
  const by = new Map<string, { expected: string; got: string; rows: number; isAlike: boolean }>();
  for (const { code, value, ...issue } of issues) {
    const got = value ?? '';
    const expected = code === 'number_cell' ? TEXT : issue.expected;
    const one = by.get(expected) ?? { expected, got, rows: 0, isAlike: true };
    one.rows += 1;
    one.isAlike &&= one.got === got;
    by.set(expected, one);
  }
  return [...by.values()].toSorted((a, b) => b.rows - a.rows);
}

function firstRequest(operation: BuiltIn, mapped: readonly Mapped[]): string | null {
  const first = mapped.find((one) => one.kind === 'mapped');
  if (first === undefined) return null;
  const { method, path, body } = buildRequest(callOfNew(operation), {
    pathId: first.pathId,
    body: first.body,
    query: {},
  });
  if (body === null) return `${method} ${path}`;
  return `${method} ${path}\n${JSON.stringify(JSON.parse(body), null, 2)}`;
}
