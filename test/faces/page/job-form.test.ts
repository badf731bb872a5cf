import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { changedText, fieldsIn, SETTINGS, settingIn } from '../../../src/faces/page/job-form.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';

const JOB = `# Head
operation: subclient.create # op
key: Ref

# Request field
fields:
  details.name: Short # name
  # dates
  kyc.details.incorporationDate: { column: Since, as: date, pattern: yyyy-MM-dd } # d
  regulators.isRegulated:
    column: Reg
    values:
      Y: true # yes
      N: false
  details.tradeRegistryId: { value: A }
ignore: [ Legal, Other ]
required:
  - details.name # always
`;

const changed = (form: Record<string, string>, text = JOB) => changedText(text, (name) => form[name] ?? null);

/** The inputs as they are shown, line ends as browsers send them. */
function shownForm(text: string): Record<string, string> {
  const fields = fieldsIn(text).flatMap(({ field, parts }) =>
    [...(parts ?? [])].map(([part, value]) => [`${part}/${field}`, value] as const),
  );
  const settings = SETTINGS.map((setting) => [setting.name, settingIn(text, setting)] as const);
  const all = [...fields, ...settings].map(([name, value]) => [name, value.replaceAll('\n', '\r\n')]);
  return Object.fromEntries(all);
}

test('only what was changed is written, and comments, order and all else stay', () => {
  const text = changed({
    'column/details.name': 'Legal',
    'default/details.name': '007',
    'pattern/kyc.details.incorporationDate': 'yyyy-MM-dd\r\ndd.MM.yyyy',
    'values/regulators.isRegulated': 'Y = true\nJa = true\n"a = b" =',
    ignore: 'Short\nOther',
    required: 'details.name\ndetails.displayName',
    'send.rate': '50/s',
    stopAfter: '5',
    'field/0': 'details.displayName',
    'new/0': 'Trading',
  });
  expect(text).toBe(`# Head
operation: subclient.create # op
key: Ref

# Request field
fields:
  details.name: { column: Legal, default: "007" } # name
  # dates
  kyc.details.incorporationDate: { column: Since, as: date, pattern: [ yyyy-MM-dd, dd.MM.yyyy ] } # d
  regulators.isRegulated:
    column: Reg
    values:
      Y: true # yes
      Ja: true
      a = b: null
  details.tradeRegistryId: { value: A }
  details.displayName: Trading
ignore: [ Short, Other ]
required:
  - details.name # always
  - details.displayName
stopAfter: 5
send:
  rate: 50/s
`);
});

test('a column that is emptied takes its field out, and a setting that is emptied goes', () => {
  const { fields, required } = parse(changed({ 'column/regulators.isRegulated': '', required: '' }));
  expect(Object.keys(fields)).toEqual([
    'details.name',
    'kyc.details.incorporationDate',
    'details.tradeRegistryId',
  ]);
  expect(required).toBeUndefined();
});

const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  // JSON has one zero: a minus zero is sent as 0, whoever wrote it.
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
  fc.boolean(),
);
const SPECIAL = ['', ' x ', '"', '"q"', 'a = b', '= ', '007', 'true', '1e3', '-0', 'a\nb', '#', 'null'];
const cell = fc.oneof(fc.string(), fc.constantFrom(...SPECIAL)).filter((one) => one !== '__proto__');

test('whatever a definition says, the form as it is shown changes nothing', () => {
  const source = fc.record(
    {
      column: fc.string({ minLength: 1 }).filter((one) => one.trim() === one),
      default: fc.oneof(scalar, fc.constantFrom(...SPECIAL)),
      values: fc.dictionary(cell, fc.oneof(scalar, fc.constantFrom(...SPECIAL, null))),
    },
    { requiredKeys: ['column'] },
  );
  fc.assert(
    fc.property(source, (one) => {
      const text = stringify({ operation: 'subclient.create', fields: { 'details.name': one } });
      expect(changed(shownForm(text), text)).toBe(text);
    }),
  );
});

test('what cells mean comes back as it was meant, whatever stands in them', () => {
  const values = fc.dictionary(cell, fc.oneof(scalar, fc.constantFrom(...SPECIAL, null)), { minKeys: 1 });
  fc.assert(
    fc.property(values, (meant) => {
      const text = stringify({ fields: { x: { column: 'A', values: meant } } });
      const [shown] = fieldsIn(text);
      const other = stringify({ fields: { x: { column: 'A', values: { never: 'this' } } } });
      const given = changed({ 'values/x': shown?.parts?.get('values') ?? '' }, other);
      expect(parse(given).fields.x.values).toEqual(parse(text).fields.x.values);
    }),
  );
});

describe('what can not be taken is named', () => {
  test.each([
    ['a line without =', { 'values/details.name': 'Y' }, 'values of details.name: expected a line such as'],
    ['a field that is there', { 'field/0': 'details.name', 'new/0': 'X' }, "that isn't there yet"],
    ['a field without a column', { 'field/0': 'details.displayName' }, 'and its column'],
  ])('%s', (_, form, words) => {
    expect(() => changed(form)).toThrow(words);
  });

  test('a source that an alias shares', () => {
    const text = 'fields:\n  a: &s { column: A }\n  b: *s\n';
    expect(() => changed({ 'default/b': 'x' }, text)).toThrow(UsageError);
  });
});
