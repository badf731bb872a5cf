import { expect, test } from 'vitest';
import {
  describeValues,
  jobDefinitionJsonSchema,
  listSettings,
  renderSettings,
} from '../../src/config/job-settings.ts';

const SETTINGS = new Map(listSettings().map((setting) => [setting.path, setting]));

test.each([
  ['operation', { isRequired: true, default: null }],
  ['emptyCell', { values: '`omit`, `null`', default: 'omit' }],
  ['send.concurrency', { values: 'whole number from 1 up to 500', default: '20' }],
  ['send.timeoutSeconds', { values: 'number above 0 up to 600' }],
  ['fields', { values: 'names, each with text or settings', default: null }],
  ['fields.*.column', { values: 'text', isRequired: true }],
  ['fields.*.value', { values: 'text or number or `true`, `false`' }],
  ['checks.number_cell', { values: '`off`, `warn`, `error`', default: 'error' }],
  ['format.quote', { values: 'one character', default: '"' }],
  ['after', { values: 'text or list of text' }],
  ['stopAfter', { values: 'whole number above 0 or text' }],
])('%s is listed as the schema has it', (path, expected) => {
  expect(SETTINGS.get(path)).toMatchObject(expected);
});

test('names that a definition chooses itself have no line, only what may stand within them', () => {
  expect([...SETTINGS.keys()].filter((path) => /\*$/.test(path))).toEqual([]);
});

test('a list, a constant and null are described by what they hold', () => {
  expect(describeValues({ type: 'array', items: { type: 'number', const: 503 } })).toBe('list of `503`');
  expect(describeValues({ anyOf: [{ enum: ['a', 'b'] }, { type: 'null' }] })).toBe('`a`, `b`, `null`');
});

test('a bar in a description does not end the cell of the table', () => {
  const setting = { path: 'a', values: 'text', isRequired: false, default: null, description: '`,` or `|`' };
  expect(renderSettings([setting]).split('\n').at(-1)).toBe('| `a` | text | none | `,` or `\\|` |');
});

test('when the schema is printed, it names itself and asks only for what the definition has no default for', () => {
  const schema = jobDefinitionJsonSchema();
  expect(schema).toMatchObject({
    $id: 'urn:onboard:job-definition',
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'onboard job definition',
    type: 'object',
    required: ['operation'],
    additionalProperties: false,
  });
});

test('when the schema is printed, every setting has a description for the editor to show', () => {
  const properties = Object.entries(jobDefinitionJsonSchema().properties ?? {});
  const silent = properties.filter(([, one]) => typeof one !== 'object' || one.description === undefined);
  expect(properties.length).toBeGreaterThan(10);
  expect(silent).toEqual([]);
});

test('when the schema is printed, it is plain JSON', () => {
  const schema = jobDefinitionJsonSchema();
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
});
