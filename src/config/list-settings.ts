import type { z } from 'zod';
import { jobDefinitionJsonSchema } from './job-json-schema.ts';
import { describeValues } from './setting-values.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** One setting of a job definition as its schema declares it. */
export type Setting = {
  /** Names with dots between them; `*` stands for a name that the definition chooses itself. */
  readonly path: string;
  /** What may stand there, in words. */
  readonly values: string;
  /** Whether it has to be there wherever the settings around it are. */
  readonly isRequired: boolean;
  /** What holds without it; `null`: nothing. */
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

/** Empty settings and lists say nothing. */
function defaultOf({ default: value }: JsonSchema): string | null {
  if (value === undefined || (typeof value === 'object' && Object.keys(value ?? {}).length === 0))
    return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
