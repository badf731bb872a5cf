/** The settings of a job definition as a list and as a table in Markdown, read off its schema. */
import type { z } from 'zod';
import { jobDefinitionJsonSchema } from '../../src/config/job-definition.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** One setting of a job definition as its schema declares it. */
type Setting = {
  /** Names with dots between them; `*` stands for a name that the definition chooses itself. */
  readonly path: string;
  /** What may stand there, in words. */
  readonly values: string;
  /** Whether the setting must be there wherever the settings around it are. */
  readonly isRequired: boolean;
  /** What holds where the setting is left out; `null` for nothing. */
  readonly default: string | null;
  /** Empty where the schema has none. */
  readonly description: string;
};

/** Every setting of a job definition, in the order of the schema, each before the settings within it. */
export function listSettings(): readonly Setting[] {
  return settingsIn(jobDefinitionJsonSchema(), '');
}

function settingsIn(schema: JsonSchema, prefix: string): readonly Setting[] {
  return membersOf(schema).flatMap(({ name, member, isRequired }) => {
    const path = `${prefix}${name}`;
    const within = settingsIn(member, `${path}.`);
    return name === '*' ? within : [settingOf(path, member, isRequired), ...within];
  });
}

type Member = { readonly name: string; readonly member: JsonSchema; readonly isRequired: boolean };

/** The settings of an object, of each alternative that is one, and of what has names of its own. */
function membersOf(schema: JsonSchema): readonly Member[] {
  const alternatives = (schema.anyOf ?? []).filter((one) => typeof one === 'object').flatMap(membersOf);
  const named = Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
    typeof member === 'object'
      ? [{ name, member, isRequired: schema.required?.includes(name) === true }]
      : [],
  );
  const others = schema.additionalProperties;
  const anyName = typeof others === 'object' ? [{ name: '*', member: others, isRequired: false }] : [];
  return [...named, ...anyName, ...alternatives];
}

function settingOf(path: string, schema: JsonSchema, isRequired: boolean): Setting {
  const { description = '' } = schema;
  return { path, values: describeValues(schema), isRequired, default: defaultOf(schema), description };
}

/** Empty settings and lists as a default would tell a reader nothing. */
function defaultOf({ default: value }: JsonSchema): string | null {
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0))
    return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What may stand at a place of a job definition, in words for people; literal values in backticks. */
function describeValues(schema: JsonSchema): string {
  const distinct = [...new Set(alternativesOf(schema))];
  return distinct.every((one) => one.startsWith('`')) ? distinct.join(', ') : distinct.join(' or ');
}

function alternativesOf(schema: JsonSchema): readonly string[] {
  if (schema.anyOf !== undefined) {
    return schema.anyOf.flatMap((one) => (typeof one === 'object' ? alternativesOf(one) : []));
  }
  if (schema.enum !== undefined) return schema.enum.map(literal);
  if (schema.const !== undefined) return [literal(schema.const)];
  return [schema.type].flat().map((type) => describeType(type, schema));
}

function describeType(type: string | undefined, schema: JsonSchema): string {
  switch (type) {
    case 'string':
      return schema.maxLength === 1 ? 'one character' : 'text';
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
      return `whole number${rangeOf(schema)}`;
    case 'number':
      return `number${rangeOf(schema)}`;
    case 'array':
      return `list of ${describeItems(schema)}`;
    case 'object':
      return describeObject(schema);
    default:
      return literal(null);
  }
}

function describeItems({ items }: JsonSchema): string {
  return typeof items === 'object' && !Array.isArray(items) ? describeValues(items) : 'anything';
}

function describeObject({ properties, additionalProperties }: JsonSchema): string {
  if (properties !== undefined) return 'settings';
  return typeof additionalProperties === 'object'
    ? `names, each with ${describeValues(additionalProperties)}`
    : 'settings';
}

function rangeOf({ minimum, exclusiveMinimum, maximum }: JsonSchema): string {
  // zod bounds every whole number by the largest that a double holds exactly.
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  const ends = [
    ...(minimum === undefined ? [] : [`from ${minimum}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${exclusiveMinimum}`]),
    ...(most === undefined ? [] : [`up to ${most}`]),
  ];
  return ends.length === 0 ? '' : ` ${ends.join(' ')}`;
}

function literal(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** What may stand at a setting as a Markdown table; meanings and defaults are for the prose. Settings that take any text, or only group others, are left out. */
export function renderSettings(settings: readonly Setting[]): string {
  const rows = settings
    .filter(({ values }) => values !== 'settings' && values !== 'text')
    .map(({ path, values }) => [`\`${path}\``, values]);
  return [['setting', 'values'], ['---', '---'], ...rows]
    .map((cells) => `| ${cells.map(cellText).join(' | ')} |`)
    .join('\n');
}

/** Markdown takes a bare `|` for the end of a cell. */
function cellText(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}
