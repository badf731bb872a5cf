/**
 * What is wrong with a job definition, in the words of those who write one: where it is, what was
 * expected, what came, and which name was probably meant.
 */
import type { z } from 'zod';
import { didYouMean } from '../lib/did-you-mean.ts';
import { shorten } from '../lib/terminal.ts';
import { jobDefinitionJsonSchema } from './job-definition.ts';
import type { DocumentPath } from './yaml-document.ts';

/** Its words are found where they are told. */
export type JobProblem = { readonly path: DocumentPath; readonly words: () => string };

type Issue = z.core.$ZodIssue;
type JsonSchema = z.core.JSONSchema.BaseSchema;

export function jobProblems(issues: readonly Issue[], value: unknown): readonly JobProblem[] {
  return issues.flatMap((issue) => problemsOf(issue, [], value));
}

function problemsOf(issue: Issue, above: DocumentPath, value: unknown): readonly JobProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') return issue.keys.map((name) => unknownSetting([...path, name]));
  if (issue.code === 'invalid_union') {
    const meant = likeliest(issue.errors);
    if (meant !== null) return meant.flatMap((inner) => problemsOf(inner, path, value));
  }
  return [{ path, words: () => wrongWords(issue, valueAt(value, path)) }];
}

function wrongWords(issue: Issue, found: unknown): string {
  const expected = describeExpected(issue);
  if (found === undefined) return `is missing; expected ${expected}`;
  const suggestion =
    issue.code === 'invalid_value' && typeof found === 'string'
      ? didYouMean(found, issue.values.map(String))
      : '';
  return `expected ${expected}, got ${shorten(JSON.stringify(found) ?? String(found), 61)}.${suggestion}`;
}

/** `null` where the shape of none fits. */
function likeliest(alternatives: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const fitting = alternatives.filter((issues) => !issues.some(isWrongShape));
  return [...fitting].sort((a, b) => complaints(a) - complaints(b))[0] ?? null;
}

function isWrongShape(issue: Issue): boolean {
  return issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');
}

function complaints(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

function unknownSetting(path: DocumentPath): JobProblem {
  const words = () => {
    const known = settingsAt(jobDefinitionJsonSchema(), path.slice(0, -1));
    const suggestion = didYouMean(String(path.at(-1)), known);
    return `there is no such setting; expected one of ${known.join(', ')}.${suggestion}`;
  };
  return { path, words };
}

function settingsAt(schema: JsonSchema, path: DocumentPath): readonly string[] {
  const [segment, ...rest] = path;
  const alternatives = [schema, ...(schema.anyOf ?? []).filter((one) => typeof one === 'object')];
  const names = alternatives.flatMap((one) => {
    if (segment === undefined) return Object.keys(one.properties ?? {});
    const below = one.properties?.[String(segment)] ?? one.additionalProperties;
    return typeof below === 'object' ? settingsAt(below, rest) : [];
  });
  return [...new Set(names)];
}

function valueAt(value: unknown, path: DocumentPath): unknown {
  return path.reduce<unknown>(
    (at, segment) =>
      typeof at === 'object' && at !== null ? Object.getOwnPropertyDescriptor(at, segment)?.value : undefined,
    value,
  );
}

const NOUNS: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['number', 'a number'],
  ['int', 'a whole number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'settings with names'],
  ['record', 'settings with names'],
  ['undefined', 'nothing'],
]);

function describeExpected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return NOUNS.get(issue.expected) ?? issue.expected;
    case 'invalid_value':
      return alternatives(issue.values.map((value) => JSON.stringify(value)));
    case 'invalid_union':
      return alternatives(issue.errors.flat().map(describeExpected));
    case 'too_small':
      return `${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.minimum, issue.origin)}`;
    case 'too_big':
      return issue.exact === true
        ? `exactly ${amount(issue.maximum, issue.origin)}`
        : `at most ${amount(issue.maximum, issue.origin)}`;
    default:
      return issue.message.replace(/^expected /, '');
  }
}

function amount(limit: number | bigint, origin: string): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `${limit}`;
  return limit === 1 ? `${limit} ${unit}` : `${limit} ${unit}s`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item' };

function alternatives(list: readonly string[]): string {
  const distinct = [...new Set(list)];
  return distinct.length === 1
    ? distinct.join('')
    : `${distinct.slice(0, -1).join(', ')} or ${distinct.at(-1)}`;
}
