import { UsageError } from '../lib/usage-error.ts';
import type { Mapped, Mapping } from '../model/mapping.ts';
import type { JsonObject, JsonValue } from '../model/request.ts';
import type { Row } from '../model/row.ts';
import type { Finders } from './bind-columns.ts';
import { bindFields } from './bind-fields.ts';
import type { Binding } from './binding.ts';
import { bodyTree } from './body-tree.ts';
import { buildBody } from './build-body.ts';
import type { Build } from './build-leaf.ts';
import { groupProblems } from './check-group.ts';
import type { CheckRow } from './checks/compile-checks.ts';
import { compileChecks } from './checks/compile-checks.ts';
import { columnNamed } from './column-place.ts';
import { createFinders } from './create-finders.ts';
import { isJsonObject } from './json-member.ts';
import type { MappingOptions } from './mapping-options.ts';
import { missingColumns } from './missing-columns.ts';
import type { PathIdOf } from './path-id.ts';
import { compilePathId } from './path-id.ts';
import type { ReadRecord } from './record-values.ts';
import { compileRecordReader } from './record-values.ts';
import type { RequireFields } from './required-fields.ts';
import { compileRequired } from './required-fields.ts';
import type { RowContext } from './row-context.ts';
import { addIssue, createContext } from './row-context.ts';
import { compileIsInDoubt, rowInDoubt } from './row-in-doubt.ts';
import type { KeyOf } from './row-key.ts';
import { compileKeyOf, keyText } from './row-key.ts';

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
