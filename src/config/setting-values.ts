import type { z } from 'zod';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** What may stand at a place of a job definition, in words for people; literal values in backticks. */
export function describeValues(schema: JsonSchema): string {
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
  // A whole number without a bound of its own has the largest that is exact.
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
