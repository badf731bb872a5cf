/**
 * A definition's own rules for fields, by JSON Schema's names, asked of what would be sent. Its
 * patterns are RE2's: they take time in proportion to the text, whatever somebody wrote.
 */
import { RE2JS } from 're2js';
import type { Rule } from '../../config/job-definition.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { memberOf } from '../../model/json-record.ts';
import type { JsonObject, JsonValue } from '../../model/request.ts';
import type { Binding } from './bind-fields.ts';
import type { Compilation } from './compilation.ts';
import { noSuchField } from './proposal/meaning.ts';
import { atFirst, type FieldPath, formatFieldPath, parseFieldPath } from './request-field.ts';
import { addIssue, addWarning, type RowContext } from './row-context.ts';

export type CheckRules = (body: JsonObject, context: RowContext) => void;

/** Answers what was expected, or `null`. */
type ProblemOf = (value: JsonValue) => string | null;

const LONGEST = 1_024;

export function compileRules(compilation: Compilation, bindings: readonly Binding[]): CheckRules {
  const { definition, problems, source } = compilation;
  const columns = new Map(bindings.map((one) => [formatFieldPath(one.path), columnOf(one)]));
  const compileCheck = (field: string, rule: Rule): CheckRules | string => {
    const path = rulePath(field, compilation);
    if (typeof path === 'string') return path;
    const problemOf = compileRule(rule);
    if (typeof problemOf === 'string') return problemOf;
    const repeats = new Map(source.repeats?.[field]);
    return createCheck({ path, rule, problemOf, repeats, columns });
  };

  const checks: CheckRules[] = [];
  for (const [field, rule] of Object.entries(definition.rules)) {
    const check = compileCheck(field, rule);
    if (typeof check === 'string') problems.push(`rules, "${field}": ${check}`);
    else checks.push(check);
  }
  return (body, context) => {
    for (const check of checks) check(body, context);
  };
}

function columnOf(binding: Binding): string | null {
  return binding.kind === 'constant' ? null : binding.column;
}

function rulePath(field: string, { lookUp, definition, ...compilation }: Compilation): FieldPath | string {
  const path = parseFieldPath(field);
  if (typeof path === 'string') return path;
  const isField = lookUp(atFirst(path)).kind === 'leaf';
  return isField ? path : noSuchField(field, { definition, ...compilation });
}

type Check = {
  readonly path: FieldPath;
  readonly rule: Rule;
  readonly problemOf: ProblemOf;
  /** Row → the row before it that has the same. */
  readonly repeats: ReadonlyMap<number, number>;
  readonly columns: ReadonlyMap<string, string | null>;
};

function createCheck({ path, rule, problemOf, repeats, columns }: Check): CheckRules {
  const add = rule.level === 'warn' ? addWarning : addIssue;
  return (body, context) => {
    for (const { value, at } of valuesAt(body, path)) {
      const field = formatFieldPath(at);
      const column = columns.get(field) ?? field;
      const broken = { code: 'rule_broken', column, value } as const;
      const problem = problemOf(value);
      const first = repeats.get(context.row);
      if (problem !== null) add(context, { ...broken, expected: rule.message ?? problem });
      else if (first !== undefined)
        add(context, { ...broken, expected: REPEATED, values: { row: String(first) } });
    }
  };
}

const REPEATED = 'a value that no other row of the file has; row {row} has it';

type Found = { readonly value: JsonValue; readonly at: FieldPath };

/** Each item of a list by itself. */
function valuesAt(body: JsonObject, path: FieldPath): readonly Found[] {
  let found: readonly Found[] = [{ value: body, at: [] }];
  for (const segment of path) found = found.flatMap((one) => membersAt(one, segment));
  return found.flatMap((one) => (Array.isArray(one.value) ? membersAt(one, '#') : [one]));
}

function membersAt({ value, at }: Found, segment: string | number): readonly Found[] {
  if (typeof value !== 'object' || value === null) return [];
  if (segment !== '#') {
    const member = memberOf(value, segment);
    return (member ?? null) === null ? [] : [{ value: member as JsonValue, at: [...at, segment] }];
  }
  return Object.values(value).map((item, i) => ({ value: item, at: [...at, i] }));
}

const MOST_REPEATS = 1_000;

/** Rows that repeat what is to be unique. Call `see` for all rows that map, in file order. */
export function createRepeatLook(rules: Readonly<Record<string, Rule>>) {
  const fields = Object.keys(rules).filter((field) => rules[field]?.unique === true);
  const seen = new Map<string, { readonly row: number; readonly group: string | null }>();
  const found: Record<string, [number, number][]> = Object.fromEntries(fields.map((field) => [field, []]));
  const see = (field: string, row: number, group: string | null, value: JsonValue) => {
    const name = JSON.stringify([field, value]);
    const first = seen.get(name) ?? { row, group };
    seen.set(name, first);
    const isOwn = first.row === row || (group !== null && first.group === group);
    if (!isOwn) found[field]?.push([row, first.row]);
    if ((found[field]?.length ?? 0) > MOST_REPEATS) throw new UsageError(tooMany(field));
  };
  return {
    isNeeded: fields.length > 0,
    /** `group`: what rows of one record have in common; `null`: each is a record. */
    see(row: number, group: string | null, body: JsonObject): void {
      for (const field of fields) {
        const path = parseFieldPath(field);
        if (typeof path === 'string') continue;
        for (const { value } of valuesAt(body, path)) see(field, row, group, value);
      }
    },
    found: () => found,
  };
}

function tooMany(field: string): string {
  return (
    `rules, "${field}": more than ${MOST_REPEATS} rows repeat a value ` +
    'that is to be unique; take the rule out, or export the file again'
  );
}

function compileRule(rule: Rule): ProblemOf | string {
  const { minLength = 0, maxLength = LONGEST, minimum = -Infinity, maximum = Infinity } = rule;
  const allowed = rule.enum === undefined ? null : new Set<JsonValue>(rule.enum);
  const pattern = rule.pattern === undefined ? null : compilePattern(rule.pattern);
  if (typeof pattern === 'string') return pattern;
  const ofText = (text: string) => {
    const length = [...text].length;
    if (length < minLength) return `at least ${minLength} characters`;
    if (length > maxLength) return `at most ${maxLength} characters`;
    return pattern === null || pattern.test(text) ? null : `text with the form ${rule.pattern}`;
  };
  return (value) => {
    if (allowed?.has(value) === false) return `one of ${[...allowed].join(', ')}`;
    if (typeof value === 'string') return ofText(value);
    if (typeof value !== 'number') return null;
    if (value < minimum) return `${minimum} or more`;
    return value > maximum ? `${maximum} or less` : null;
  };
}

function compilePattern(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return `pattern: expected a regular expression of RE2, without look-around and back references (${why})`;
  }
}
