import { UsageError } from '../lib/usage-error.ts';
import { isJsonObject, parseRecord } from '../model/json-record.ts';
import type { Mapped, Mapping } from '../model/mapping.ts';
import { IDENTITY } from '../model/operation.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../model/source.ts';
import { type Binding, bindFields, createFinders, type Finders } from './bind-fields.ts';
import { type Build, bodyTree, buildBody } from './build-body.ts';
import { type CheckRow, compileChecks } from './checks/checks.ts';
import { columnNamed, type MappingOptions } from './column-names.ts';
import { convert } from './conversion.ts';
import { groupProblems } from './group.ts';
import { compileRequired, missingColumns, type RequireFields } from './required.ts';
import {
  addIssue,
  compileRecordReader,
  createContext,
  type ReadRecord,
  type RowContext,
} from './row-context.ts';
import { compileKeyOf, type KeyOf, keyText } from './row-key.ts';

type Key = { readonly column: string; readonly slot: number; readonly keyOf: KeyOf };

/** The parts of a compiled mapping, in the order a row goes through them. */
type Steps = {
  readonly readRecord: ReadRecord;
  readonly key: Key | null;
  readonly pathIdOf: PathIdOf | null;
  readonly build: Build;
  /** False for a call without a body: its rows have nothing to be empty of. */
  readonly hasBody: boolean;
  readonly requireFields: RequireFields;
  readonly checkRow: CheckRow;
};

const EMPTY_KEY = "a key: the job definition makes this column the row's own key";
const EMPTY_ROW = 'at least one field with a value';

/**
 * Compiles a job definition against the columns of one file, once per run.
 * Throws a UsageError that lists every column and field that doesn't fit.
 */
export function compileMapping(options: MappingOptions): Mapping {
  const problems: string[] = [];
  const steps = compileSteps(options, problems);
  if (problems.length > 0) throw new UsageError(problems);
  const isInDoubt = compileIsInDoubt(options);
  return {
    hasKey: steps.key !== null,
    keyOf: steps.key?.keyOf ?? (() => null),
    map: (row) => (isInDoubt(row) ? rowInDoubt(row) : mapRow(row, steps)),
  };
}

function compileSteps(options: MappingOptions, problems: string[]): Steps {
  const finders = createFinders(options);
  const bindings = bindFields(options, finders, problems);
  const isPathId = (binding: Binding) => binding.path.length === 1 && binding.path[0] === options.pathField;
  const body = bindings.filter((binding) => !isPathId(binding));
  const key = compileKey(options, finders, problems);
  const columns = bindings.flatMap((binding) => (binding.kind === 'constant' ? [] : [binding.column]));
  const used = new Set(key === null ? columns : [...columns, key.column]);
  problems.push(...groupProblems(options, { lookUp: finders.lookUp, bindings }));
  const steps = {
    readRecord: compileRecordReader(options, { bindings, used }, problems),
    key,
    pathIdOf: pathIdStep(options, bindings.filter(isPathId), problems),
    build: buildBody(bodyTree(body, problems), options.definition.emptyCell),
    hasBody: options.catalog.size > 0,
    requireFields: compileRequired(options, { lookUp: finders.lookUp, bindings }, problems),
    checkRow: compileChecks(options, { bindings, key }),
  };
  problems.push(...missingColumns(options, finders, bindings));
  return steps;
}

function compileKey(options: MappingOptions, { find }: Finders, problems: string[]): Key | null {
  const name = options.definition.key;
  if (name === undefined) return null;
  const place = columnNamed(name, options, find);
  if (place !== null && typeof place !== 'string')
    return { ...place, keyOf: compileKeyOf(place.column, place.slot) };
  if (place !== null) problems.push(`key: ${place}`);
  return null;
}

function pathIdStep(
  options: MappingOptions,
  bindings: readonly Binding[],
  problems: string[],
): PathIdOf | null {
  const { pathField, needsPathId, definition, source } = options;
  if (pathField === null) return null;
  bodyTree(bindings, problems); // two that fill the identifier are a conflict like any other
  const [binding = null] = bindings;
  const isNamed = definition.key === pathField || definition.fields[pathField] !== undefined;
  if (binding === null && needsPathId && source.columns.length > 0 && !isNamed) {
    problems.push(
      `${definition.operation} needs the field "${pathField}" for its path, and no column fills it; expected a column "${pathField}", or one mapped to it under "fields"`,
    );
  }
  return compilePathId(binding, pathField, needsPathId);
}

function mapRow(row: Row, steps: Steps): Mapped {
  if (row.kind === 'unreadable') return unreadable(row);
  const context = row.kind === 'cells' ? createContext(row, row.cells) : steps.readRecord(row);
  if (context.issues.some((issue) => issue.code === 'unreadable_row')) return issuesOf(context);
  checkKey(steps.key, context);
  const pathId = steps.pathIdOf === null ? null : steps.pathIdOf(context);
  const body = objectOf(steps.build(context));
  steps.requireFields(body, context);
  steps.checkRow(row, context);
  if (steps.hasBody && context.filled === 0) {
    addIssue(context, { code: 'empty_row', column: null, value: undefined, expected: EMPTY_ROW });
  }
  const { issues, warnings, references } = context;
  return issues.length === 0 ? { kind: 'mapped', body, pathId, warnings, references } : issuesOf(context);
}

function unreadable(row: Extract<Row, { kind: 'unreadable' }>): Mapped {
  const expected = `a readable row: ${row.problem}`;
  const { row: number, line } = row;
  return {
    kind: 'issues',
    issues: [{ row: number, line, column: null, value: null, expected, code: 'unreadable_row' }],
  };
}

function checkKey(key: Key | null, context: RowContext): void {
  if (key === null) return;
  const value = context.values[key.slot];
  if (keyText(value) === null) {
    addIssue(context, { code: 'empty_key', column: key.column, value, expected: EMPTY_KEY });
  }
}

function objectOf(body: JsonValue | undefined): JsonObject {
  return isJsonObject(body) ? body : {};
}

function issuesOf(context: RowContext): Mapped {
  return { kind: 'issues', issues: context.issues };
}

/** The identifier for the path, or `null` where the row has none; what is wrong with it becomes an issue. */
type PathIdOf = (context: RowContext) => string | null;

/** Percent-encoding leaves dots alone and can't write half a surrogate pair; control characters only come from damage. */
const UNFIT = /^\.{1,2}$|[\p{Cc}\p{Cs}]/u;
const FIT = 'an identifier that can stand in a path: not "." or "..", and no control characters';

/** Compiles the reading of the path's identifier; without a binding no row has one. */
function compilePathId(binding: Binding | null, field: string, needed: boolean): PathIdOf {
  const column = binding === null || binding.kind === 'constant' ? field : binding.column;
  const expected = `an identifier: it fills {${field}} in the request's path`;
  return (context) => {
    const id = idOf(binding, context);
    if (id === undefined) return null;
    if (id !== '' && !UNFIT.test(id)) return id;
    if (id !== '') addIssue(context, { code: 'bad_path_id', column, value: id, expected: FIT });
    else if (needed) addIssue(context, { code: 'missing_required', column, value: undefined, expected });
    return null;
  };
}

/** Empty where the row has none, `undefined` where an issue says why it can't be read. */
function idOf(binding: Binding | null, context: RowContext): string | undefined {
  if (binding === null) return '';
  if (binding.kind === 'constant') return String(binding.value);
  if (binding.kind !== 'cell') return '';
  const { slot, conversion, column } = binding;
  const value = context.values[slot];
  const id = value === undefined ? null : convert(conversion, value);
  if (id === null) return '';
  if (typeof id === 'string') return id;
  addIssue(context, { code: 'cell_not_convertible', column, value, expected: conversion.expected });
  return undefined;
}

const IN_DOUBT = 'in-doubt';
const OUTCOME_COLUMN = `${REPORT_COLUMN_PREFIX}outcome`;
const CODE_COLUMN = `${REPORT_COLUMN_PREFIX}code`;
/** What a row in doubt ends with where its report file was loaded: the next report says so, too. */
const CODE = 'row_in_doubt';
const EXPECTED =
  'a row whose outcome is known: this one may have been created already, so it is not sent again';

/**
 * Whether a report file says of the row that nobody knows whether it was created. Such a row is not sent:
 * without a key its identity is its place in the first file, which the report file no longer tells.
 */
function compileIsInDoubt({ definition, source }: MappingOptions): (row: Row) => boolean {
  if (IDENTITY[definition.operation] === null) return () => false;
  if (!isTable(source)) return (row) => row.kind === 'record' && saysInDoubt(row.text);
  const outcome = source.columns.indexOf(OUTCOME_COLUMN);
  const code = source.columns.indexOf(CODE_COLUMN);
  if (outcome === -1) return () => false;
  return (row) => row.kind === 'cells' && (row.cells[outcome] === IN_DOUBT || row.cells[code] === CODE);
}

/** The issue of a row in doubt. */
function rowInDoubt({ row, line }: Row): Mapped {
  const issue = { row, line, column: null, value: null, expected: EXPECTED, code: CODE } as const;
  return { kind: 'issues', issues: [issue] };
}

function saysInDoubt(text: string): boolean {
  if (!text.includes(REPORT_MEMBER)) return false;
  const mark = parseRecord(text)?.[REPORT_MEMBER];
  return isJsonObject(mark) && (mark.outcome === IN_DOUBT || mark.code === CODE);
}
