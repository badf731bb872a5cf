/**
 * The front door of mapping: a job definition, compiled once against the columns of a file, turns
 * each row into a request's body and path identifier, or into issues. What doesn't fit the file is
 * refused while compiling, all of it at once. A row has a body only where no issue was found.
 */
import { operationOf, pathColumnsOf } from '../../config/job-definition.ts';
import { columnsIn, fillPath, parsePathTemplate } from '../../lib/path-template.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type IsRight, type Issue, NOTHING_IS_RIGHT } from '../../model/issue.ts';
import { isJsonList, isJsonObject, parseRecord } from '../../model/json-record.ts';
import type { FileMapping, GroupMapped, Mapped, Mapping } from '../../model/mapping.ts';
import { idProblem } from '../../model/record-id.ts';
import type { JsonObject } from '../../model/request.ts';
import type { Row } from '../../model/row.ts';
import type { KeyOf } from '../../model/row-group.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../../model/source.ts';
import { spaceOf } from '../../operations/operations.ts';
import { type Binding, bindFields } from './bind-fields.ts';
import { type Build, bodyTree, buildBody } from './build-body.ts';
import { type CheckRow, compileChecks } from './checks/checks.ts';
import {
  type ColumnSlot,
  type Compilation,
  columnNamed,
  type MappingOptions,
  startCompilation,
} from './compilation.ts';
import { withComposed } from './composition.ts';
import { convert, expectedOf } from './conversion.ts';
import { compileDescribesColumns } from './describing-row.ts';
import { groupProblems, mergeGroup } from './group.ts';
import { isOfPayee } from './payee-accounts.ts';
import type { FieldPath } from './request-field.ts';
import { compileRequired, missingColumns, type RequireFields } from './required.ts';
import {
  addIssue,
  compileRecordReader,
  createContext,
  issueOf,
  type ReadRecord,
  type RowContext,
} from './row-context.ts';
import { compileGroupOf, compileKeyOf, compileTotalsCell, isNothing, isTotal, keyText } from './row-key.ts';
import { type CheckRules, compileRules } from './rules.ts';

type Steps = {
  readonly isInDoubt: (row: Row) => boolean;
  readonly readRecord: ReadRecord;
  readonly describesColumns: (context: RowContext) => boolean;
  readonly key: ColumnSlot | null;
  readonly keyOf: KeyOf;
  /** False: the row is a totals line, which is noted. */
  readonly checkKey: (row: Row, context: RowContext) => boolean;
  readonly pathIdOf: PathIdOf;
  readonly fields: Mapping['fields'];
  readonly build: Build;
  /** The payee's name and accounts alone. */
  readonly buildPayee: Build;
  /** False for a call without a body: none of its rows is an empty row. */
  readonly hasBody: boolean;
  readonly requireFields: RequireFields;
  readonly checkRow: CheckRow;
  readonly checkRules: CheckRules;
  readonly composed: Compilation['composed'];
  readonly isRight: IsRight;
};

/** The identifier for the path or `null`, and issues; its lack is one where `isAsked`. */
type PathIdOf = (context: RowContext, isAsked: boolean) => string | null;

/** Not one column of a table is known: what its problems quote may be cells of a record. */
export class NoColumnKnown extends UsageError {}

/** A UsageError lists every column and field that doesn't fit. */
export function compileMapping(options: MappingOptions): FileMapping {
  const compilation = startCompilation(options);
  const steps = compileSteps(compilation);
  const { problems, knowsNoColumn } = compilation;
  if (problems.length > 0) throw new (knowsNoColumn ? NoColumnKnown : UsageError)(problems);
  return mappingOf(steps, compilation);
}

function mappingOf(steps: Steps, compilation: Compilation): FileMapping {
  const { keyForm, group = '' } = compilation.definition;
  return {
    hasKey: steps.key !== null,
    keyForm,
    fields: steps.fields,
    notes: notesOf(compilation),
    keyOf: steps.keyOf,
    groupOf: steps.key === null ? () => null : compileGroupOf(steps.key, keyForm),
    map: (row) => mapRow(row, steps, { asked: 'all', isLeader: true }),
    mapGroup: (rows) => mapGroup(rows, steps, group),
    payeeOf: (rows) => payeeOf(rows, steps),
    lifting: (isRight) => mappingOf({ ...steps, isRight }, compilation),
  };
}

const COLUMNS_TOLD = 10;

function notesOf({ leftToService }: Compilation): readonly string[] {
  const [first] = leftToService;
  if (first === undefined) return [];
  const names = [...leftToService.keys()].map((column) => JSON.stringify(column));
  const told = names.slice(0, COLUMNS_TOLD).join(', ');
  const more = names.length - COLUMNS_TOLD;
  const rest = more > 0 ? ` and ${more} more` : '';
  const [column, field] = first;
  return [
    `Not sent: ${told}${rest}. A header alone never fills a field that only the service sets; ` +
      `where its cells are meant for the service, write a line under "fields": ${field}: ${column}`,
  ];
}

/** Of what lies in a list, that list. */
function fieldOf(path: FieldPath): readonly string[] {
  const names = path.map(String);
  const inList = path.findIndex((segment) => typeof segment === 'number');
  return inList === -1 ? names : names.slice(0, inList);
}

/** The first row of a group says whose record it is; each is asked for what it adds to the list. */
type Part = { readonly asked: 'all' | 'items'; readonly isLeader: boolean };

function mapGroup(rows: readonly Row[], steps: Steps, list: string): GroupMapped {
  const asked = rows.length === 1 ? 'all' : 'items';
  return mergeGroup(rows, {
    list,
    map: (row) => mapRow(row, steps, { asked, isLeader: row === rows[0] }),
    keyOf: steps.keyOf,
    lacking(row, { body, references }) {
      const context = createContext(row, []);
      context.references.push(...references);
      if (asked === 'items') steps.requireFields(body, context, 'record');
      return context.issues;
    },
  });
}

/** Nothing but these is converted: the whole row is mapped by its worker. */
function payeeOf(rows: readonly Row[], steps: Steps): JsonObject | null {
  const bodies: JsonObject[] = [];
  for (const row of rows) {
    if (row.kind === 'unreadable') return null;
    const read = row.kind === 'cells' ? createContext(row, row.cells) : steps.readRecord(row);
    const context = withComposed(read, steps.composed);
    const built = steps.buildPayee(context);
    if (context.issues.length > 0) return null;
    if (isJsonObject(built)) bodies.push(built);
  }
  const accounts = bodies.flatMap(({ accounts: own }) => (isJsonList(own) ? own : []));
  return { ...bodies[0], accounts };
}

function compileSteps(compilation: Compilation): Steps {
  const { pathField, problems, definition, catalog } = compilation;
  const bindings = bindFields(compilation);
  const isPathId = ({ path }: Binding) => path.length === 1 && path[0] === pathField;
  const ofPath = bindings.filter(isPathId);
  const ofBody = bindings.filter((binding) => !isPathId(binding));
  const ownPath = definition.request?.path;
  const key = keyPlace(compilation);
  problems.push(...groupProblems(compilation, bindings));
  const steps = {
    isInDoubt: compileIsInDoubt(compilation),
    readRecord: compileRecordReader(compilation),
    describesColumns: compileDescribesColumns(compilation, bindings),
    key,
    keyOf: key === null ? () => null : compileKeyOf(key),
    checkKey: compileKeyCheck(compilation, key),
    pathIdOf:
      ownPath === undefined ? compilePathId(compilation, ofPath) : compileOwnPath(compilation, ownPath),
    fields: ofBody.filter(({ kind }) => kind !== 'constant').map(({ path }) => fieldOf(path)),
    build: buildBody(bodyTree(ofBody, problems), definition.emptyCell),
    buildPayee: buildBody(
      bodyTree(
        ofBody.filter(({ path }) => isOfPayee(path)),
        [],
      ),
      definition.emptyCell,
    ),
    // The path of its own may be all that a row has.
    hasBody: catalog.size > 0 && pathColumnsOf(definition).length === 0,
    requireFields: compileRequired(compilation, bindings),
    checkRow: compileChecks(compilation, bindings, key),
    checkRules: compileRules(compilation, bindings),
    composed: compilation.composed,
    isRight: NOTHING_IS_RIGHT,
  };
  problems.push(...missingColumns(compilation, bindings));
  return steps;
}

function keyPlace(compilation: Compilation): ColumnSlot | null {
  const name = compilation.definition.key;
  const place = name === undefined ? null : columnNamed(name, compilation);
  if (typeof place !== 'string') return place;
  compilation.problems.push(`key: ${place}`);
  return null;
}

function mapRow(row: Row, steps: Steps, { asked, isLeader }: Part): Mapped {
  if (steps.isInDoubt(row)) return refused(row, IN_DOUBT_CODE, OUTCOME_KNOWN);
  if (row.kind === 'unreadable') return refused(row, 'unreadable_row', `a readable row: ${row.problem}`);
  const read = row.kind === 'cells' ? createContext(row, row.cells) : steps.readRecord(row);
  const context = withComposed(read, steps.composed);
  if (context.issues.some((issue) => issue.code === 'unreadable_row')) return issuesOf(context);
  if (steps.describesColumns(context)) return refused(row, 'describes_columns', DESCRIBES);
  // What else is wrong with a totals line helps nobody.
  if (!steps.checkKey(row, context)) return issuesOf(context);
  const pathId = steps.pathIdOf(context, isLeader);
  const built = steps.build(context);
  const body = isJsonObject(built) ? built : {};
  steps.requireFields(body, context, asked);
  steps.checkRow(context, steps.isRight);
  steps.checkRules(body, context);
  if (steps.hasBody && context.filled === 0) {
    addIssue(context, { code: 'empty_row', column: null, value: undefined, expected: EMPTY_ROW });
  }
  const { issues, warnings, references } = context;
  if (issues.length > 0) return issuesOf(context);
  return { kind: 'mapped', body, pathId, warnings, references };
}

const EMPTY_KEY = "a key: the job definition makes this column the row's own key";
const EMPTY_ROW = 'at least one field with a value';

const DESCRIBES = 'a record; the row says what columns hold, or is an example: leave it out';
const TOTALS = 'a record; the row says that it adds up or counts others: leave it out';

/** False: a totals line, by its key, or where it has none by its first filled cell. */
function compileKeyCheck(compilation: Compilation, place: ColumnSlot | null): Steps['checkKey'] {
  const isRecord = compileTotalsCheck(compilation);
  if (place === null) return isRecord;
  const { column, slot } = place;
  return (row, context) => {
    const value = context.values[slot];
    const key = keyText(value);
    if (key === null) {
      if (!isRecord(row, context)) return false;
      addIssue(context, { code: 'empty_key', column, value, expected: EMPTY_KEY });
      return true;
    }
    if (!isTotal(key)) return true;
    addIssue(context, { code: 'totals_row', column, value, expected: TOTALS });
    return false;
  };
}

function compileTotalsCheck({ source }: Compilation): Steps['checkKey'] {
  const totalsCell = compileTotalsCell(source);
  return (row, context) => {
    if (row.kind !== 'cells') return true;
    const slot = totalsCell(row);
    if (slot === -1) return true;
    const [column = '', value] = [source.columns[slot], row.cells[slot]];
    addIssue(context, { code: 'totals_row', column, value, expected: TOTALS });
    return false;
  };
}

function issuesOf({ issues }: RowContext): Mapped {
  return { kind: 'issues', issues };
}

function refused(row: Row, code: Issue['code'], expected: string): Mapped {
  return { kind: 'issues', issues: [issueOf(row, { column: null, value: null, expected, code })] };
}

function compilePathId(compilation: Compilation, bindings: readonly Binding[]): PathIdOf {
  const { pathField, needsPathId, definition, source, problems } = compilation;
  if (pathField === null) return () => null;
  bodyTree(bindings, problems); // two bindings of the identifier are a conflict like any other
  const [binding = null] = bindings;
  const isNamed = definition.key === pathField || definition.fields[pathField] !== undefined;
  if (binding === null && needsPathId && source.columns.length > 0 && !isNamed) {
    problems.push(
      `${definition.operation} needs the field "${pathField}" for its path, and no column fills it; ` +
        `expected a column "${pathField}", or one mapped to it under "fields"`,
    );
  }
  const column = binding === null || binding.kind === 'constant' ? pathField : binding.column;
  const expected = `an identifier: it fills {${pathField}} in the request's path`;
  return (context, isAsked) => {
    const id = idOf(binding, context);
    if (id === undefined) return null;
    if (idProblem(id) === null) return id;
    if (id !== '') addIssue(context, { code: 'bad_path_id', column, value: id, expected: FIT_FOR_PATH });
    else if (needsPathId && isAsked) {
      addIssue(context, { code: 'missing_required', column, value: undefined, expected });
    }
    return null;
  };
}

/** Every column in the path has to be filled, and each value stays one part of it. */
function compileOwnPath(compilation: Compilation, path: string): PathIdOf {
  const template = parsePathTemplate(path);
  if (typeof template === 'string')
    throw new Error(`a path that the definition's schema let pass: expected ${template}`);
  const places = new Map<string, ColumnSlot>();
  for (const name of columnsIn(template)) {
    const place = columnNamed(name, compilation);
    if (typeof place === 'string') compilation.problems.push(`request.path, {${name}}: ${place}`);
    else if (place !== null) places.set(name, place);
  }
  return (context) => {
    const values = new Map<string, string>();
    for (const [name, { column, slot }] of places) {
      const value = context.values[slot];
      const text = value === undefined ? null : keyText(value);
      if (text !== null && idProblem(text) === null) values.set(name, text);
      else if (text === null)
        addIssue(context, { code: 'missing_required', column, value, expected: IN_PATH });
      else addIssue(context, { code: 'bad_path_id', column, value, expected: FIT_FOR_PATH });
    }
    return fillPath(template, (name) => values.get(name) ?? '');
  };
}

const IN_PATH = "a value: the request's path has this column in it";
const FIT_FOR_PATH =
  'an identifier that can stand in a path: no "." or ".." for a part ' +
  'of it, no control or invisible characters, at most 256 in all';

/** Empty where the row has none, `undefined` where an issue says why it can't be read. */
function idOf(binding: Binding | null, context: RowContext): string | undefined {
  if (binding === null) return '';
  if (binding.kind === 'constant') return String(binding.value);
  if (binding.kind !== 'cell') return '';
  const { slot, conversion, column } = binding;
  const value = context.values[slot];
  const fallback = String(binding.fallback ?? '');
  // What can be none at all is told as that.
  if (typeof value === 'string' && isNothing(value) && idProblem(value) === null) return fallback;
  const id = value === undefined ? null : convert(conversion, value);
  if (id === null) return fallback;
  if (typeof id === 'string') return id;
  const expected = expectedOf(conversion, value ?? null);
  addIssue(context, { code: 'cell_not_convertible', column, value, expected });
  return undefined;
}

const IN_DOUBT = 'in-doubt';
const OUTCOME_COLUMN = `${REPORT_COLUMN_PREFIX}outcome`;
const CODE_COLUMN = `${REPORT_COLUMN_PREFIX}code`;
/** The code of a row in doubt that comes from a report file: the next report must say so too. */
const IN_DOUBT_CODE = 'row_in_doubt';
const OUTCOME_KNOWN =
  'a row whose outcome is known: this one may have been created already, so it is not sent again';

/**
 * Whether a report file says of the row that nobody knows whether it was created. It is not sent:
 * without a key its identity is its content, which somebody may have edited.
 */
function compileIsInDoubt({ definition, source }: MappingOptions): (row: Row) => boolean {
  if (spaceOf(operationOf(definition)) === null) return () => false;
  if (!isTable(source)) return (row) => row.kind === 'record' && saysInDoubt(row.text);
  const outcome = source.columns.indexOf(OUTCOME_COLUMN);
  const code = source.columns.indexOf(CODE_COLUMN);
  if (outcome === -1) return () => false;
  return (row) =>
    row.kind === 'cells' && (row.cells[outcome] === IN_DOUBT || row.cells[code] === IN_DOUBT_CODE);
}

function saysInDoubt(text: string): boolean {
  if (!text.includes(REPORT_MEMBER)) return false;
  const mark = parseRecord(text)?.[REPORT_MEMBER];
  return isJsonObject(mark) && (mark.outcome === IN_DOUBT || mark.code === IN_DOUBT_CODE);
}
