import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldSource } from '../../../src/config/job-definition.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import { bodyOf, cells, compileCsv, compileJson, problemsOf, record } from './catalog.ts';

describe('when the columns do not fit, the start is refused and says', () => {
  test.each([
    [['detials.name'], /^column "detials\.name": .* no such field\. .* "details\.name"\? Rename the col/],
    [['accounts[3].ibna'], /Did you mean "accounts\.3\.iban"\?/],
    [['Payee name'], /no such field\. Did you mean "name"\?/],
    [['IBAN'], /Did you mean "accounts\.0\.iban"\?/],
    [['Account Manager'], /^column "Account Manager": counterparty\.draft has no such field\. Rename/],
    [['details'], /^column "details": this is an object; expected a column .* example "details\.name"$/],
    [['accounts'], /^column "accounts": this is a list; .* "accounts\.0\.iban"$/],
    [['draft.x'], /^column "draft\.x": the contents of this member are not documented/],
    [['accounts.100.iban'], /expected a list position from 0 to 99/],
    [['accounts.01.iban'], /without leading zeros/],
    [['accounts.iban'], /has no such field\. Did you mean "accounts\.0\.iban"\?/],
    [['details.0.name'], /has no such field/],
    [['name', 'name'], /^the file has more than one column "name"; expected that name once\. Rename/],
    [['nix', 'name', 'nix'], /^column "nix": counterparty\.draft has no such field\. Rename/],
    [['details.name', 'Details.Name'], /^field "details\.name": column "details\.name" and .* both fill it/],
    [['accounts.0.iban', 'accounts[0].iban'], /^field "accounts\.0\.iban": .* and column .* both fill it/],
    [['currencies', 'currencies.0'], /^fields "currencies" .* and "currencies\.0" .*: one lies inside the/],
  ])('%j', (columns, problem) => {
    expect(problemsOf(() => compileCsv(columns))).toEqual([expect.stringMatching(problem)]);
  });

  test.each([
    ...['__proto__', 'constructor', 'prototype', '__proto__.x', 'details.__proto__'],
    ...['accounts.0.constructor', 'accounts[0].prototype.x'],
  ])('that %s is refused', (column) => {
    for (const compile of [compileCsv, compileJson]) {
      expect(problemsOf(() => compile([column]))).toEqual([expect.stringContaining('is refused as part of')]);
    }
    expect(problemsOf(() => compileCsv(['c'], { fields: JSON.parse(`{"x.${column}":"c"}`) }))).toEqual([
      expect.stringContaining('is refused as part of'),
    ]);
  });

  test('every problem, not only the first', () => {
    const problems = problemsOf(() =>
      compileCsv(['naem', 'nix'], { key: 'Ref', required: ['nam'], fields: { emial: 'nix', email: 'Mail' } }),
    );
    expect(problems.map((problem) => problem.split(':')[0])).toEqual([
      'fields, "emial"',
      'column "naem"',
      'required, "nam"',
      'the file has no column "Ref", from which the job takes its key.',
      'the file has no column "Mail", from which the job takes email.',
      'its header, on line 1, names "naem", "nix". Add what is missing to the file; or, where the file has it under another name, give that name in the job definition, under "key" or "fields". Where another line is the header, set "format.header".',
    ]);
  });
});

describe('when the definition does not fit, the start is refused and says', () => {
  test.each<[string[], Record<string, FieldSource>, RegExp]>([
    [['c'], { 'detials.name': 'c' }, /^fields, "detials\.name": .* no such field\. .* "details\.name"\?$/],
    [['c'], { details: 'c' }, /^fields, "details": this is an object; expected one of the fields in it$/],
    [['c'], { draft: 'c' }, /^fields, "draft": the contents of this member are not documented/],
    [['c', 'c'], { name: 'c' }, /^fields, "name": the file has more than one column "c"/],
    [['c'], { name: { column: 'c', as: 'boolean' } }, /^fields, "name": as: boolean doesn't fit .* string/],
    [['name'], { isPayer: { value: 'maybe' } }, /^fields, "isPayer": the constant .*; expected a boolean/],
    [['name'], { email: { value: 5 } }, /expected a string \(in quotes\)$/],
    [
      ['name', 'Legal'],
      { name: 'Legal' },
      /^field "name": column "Legal" and column "name" both .*one of them/,
    ],
    [['name'], { name: { value: 'N' } }, /^field "name": a constant and column "name" both fill it/],
    [['a', 'b'], { 'accounts.0.iban': 'a', 'accounts[0].iban': 'b' }, /both fill it/],
    [['NAME A', 'name  a'], { name: 'Name A' }, /: columns "NAME A" and "name {2}a" both read as "Name A"; /],
    [
      ['A B', 'A\u00a0B'],
      { name: 'A B' },
      /^fields, "name": columns "A B" and "A\u00a0B" both .*; expected one/,
    ],
    [
      ['c'],
      { isPayer: { column: 'c', ref: 'subclient' } },
      /^fields, "isPayer": .*string field of the body$/,
    ],
    [['c'], { 'currencies.0': { column: 'c', ref: 'subclient' } }, /expected a string field of the body$/],
    [
      ['c'],
      { 'parent.id': { column: 'c', ref: 'subclient', as: 'string' } },
      /: as doesn't go with ref: the cell is a key/,
    ],
  ])('of %j, fields %j', (columns, fields, problem) => {
    expect(problemsOf(() => compileCsv(columns, { fields }))).toEqual([expect.stringMatching(problem)]);
  });

  test.each<[string[], Record<string, unknown>, RegExp]>([
    [['name'], { required: ['detail.name'] }, /^required, "detail\.name": .* mean "details\.name"\?$/],
    [['name', 'REF', 'ref '], { key: 'Ref' }, /^key: columns "REF" and "ref " both read as "Ref"/],
    [['details.name', 'K'], { key: 'K', group: 'details' }, /^group: "details" is no list .*; expected one/],
    [['name', 'K'], { key: 'K', group: 'account' }, /^group: counterparty\.draft has no list "account"\./],
    [
      ['Ref'],
      { fields: { name: 'Ref' }, ignore: ['Ref'] },
      /^fields, "name": column "Ref" is under "ignore" too; expected it in one of the two$/,
    ],
    [
      ['accounts.0.iban', 'K'],
      { key: 'K', group: 'accounts.0.banks' },
      /^group: "accounts\.0\.banks" is no list/,
    ],
    [
      ['name', 'K'],
      { key: 'K', group: 'accounts', fields: { 'accounts.0.country': { value: 'GB' } } },
      /^group: no column fills the list "accounts"; expected one such as "accounts\.0\.iban"/,
    ],
  ])('of %j, %j', (columns, settings, problem) => {
    expect(problemsOf(() => compileCsv(columns, settings))).toEqual([expect.stringMatching(problem)]);
  });

  test('that the path needs an identifier', () => {
    const compile = () =>
      compileCsv(['name'], { operation: 'subclient.update' }, { pathField: 'id', needsPathId: true });
    expect(problemsOf(compile)).toEqual([
      expect.stringMatching(/^subclient\.update needs the field "id" for its path, and no column fills it/),
    ]);
  });

  test('that the identifier of the path is no place for a reference', () => {
    const compile = () =>
      compileCsv(
        ['S', 'name'],
        { fields: { id: { column: 'S', ref: 'subclient' } } },
        { pathField: 'id', needsPathId: false },
      );
    expect(problemsOf(compile)).toEqual([expect.stringMatching(/expected a string field of the body$/)]);
  });

  test('that two columns fill the identifier', () => {
    const compile = () =>
      compileCsv(['id', 'S', 'name'], { fields: { id: 'S' } }, { pathField: 'id', needsPathId: true });
    expect(problemsOf(compile)).toEqual([
      expect.stringMatching(/^field "id": column "S" and column "id" both fill it/),
    ]);
  });
});

const WHAT_TO_DO =
  'Add what is missing to the file; or, where the file has it under another name, give that name in the job definition, under "key" or "fields".';
const HEADER = `${WHAT_TO_DO} Where another line is the header, set "format.header".`;

describe('when the file lacks a column, the start is refused and says', () => {
  test.each<[string, string[], Record<string, unknown>, string[]]>([
    [
      'the nearest one',
      ['Legal Name'],
      { fields: { name: 'Legal  Nam', email: 'Legal Name' } },
      ['"Legal  Nam", from which the job takes name. Did you mean "Legal Name"?'],
    ],
    [
      'a key once, with every field that is taken from it',
      ['name', 'Partner Ref'],
      {
        key: 'PartnerRef',
        fields: { email: 'Partner Ref', 'details.name': 'PartnerRef', 'details.taxId': 'PartnerRef' },
      },
      [
        '"PartnerRef", from which the job takes its key, details.name, details.taxId. Did you mean "Partner Ref"?',
      ],
    ],
    [
      'the key of a reference',
      ['name'],
      { fields: { 'parent.id': { column: 'Parent', ref: 'subclient' } } },
      ['"Parent", from which the job takes parent.id.'],
    ],
    [
      'a required field, with a column that fills no other',
      ['email', 'Name.'],
      { required: ['name', 'name', 'email'], ignore: ['Name.'] },
      ['"name", which the job requires. Did you mean "Name."?'],
    ],
    [
      'a required position of a list, and one of all positions',
      ['accounts.0.iban'],
      { required: ['accounts.1.iban', 'accounts.#.country', 'accounts.#.iban'] },
      ['"accounts.1.iban", which the job requires.', '"accounts.0.country", which the job requires.'],
    ],
    [
      'a required field that is mapped from a missing column once',
      ['email'],
      { fields: { name: 'Payee' }, required: ['name'] },
      ['"Payee", from which the job takes name.'],
    ],
  ])('%s', (_, columns, settings, problems) => {
    const header = columns.map((column) => `"${column}"`).join(', ');
    expect(problemsOf(() => compileCsv(columns, settings))).toEqual([
      ...problems.map((problem) => `the file has no column ${problem}`),
      `its header, on line 1, names ${header}. ${HEADER}`,
    ]);
  });

  test('not more names than can be looked through', () => {
    const columns = Array.from({ length: 90 }, (_, n) => `accounts.${n}.iban`);
    const [, found] = problemsOf(() => compileCsv(columns, { required: ['name'] }));
    expect(found).toContain('"accounts.29.iban" and 60 more. Add');
  });

  test('the identifier of the path once, where the job names its column', () => {
    const settings = { operation: 'subclient.update' as const, key: 'id' };
    const problems = problemsOf(() => compileCsv(['name'], settings, { pathField: 'id', needsPathId: true }));
    expect(problems).toEqual([
      'the file has no column "id", from which the job takes its key.',
      `its header, on line 1, names "name". ${HEADER}`,
    ]);
  });

  test('of JSON only the key: records leave out what they do not have', () => {
    expect(problemsOf(() => compileJson(['name'], { key: 'ref', required: ['email'] }))).toEqual([
      'the file has no column "ref", from which the job takes its key.',
      `its records have "name". ${WHAT_TO_DO}`,
    ]);
    const mapping = compileJson(['name'], { required: ['email'] });
    expect(bodyOf(mapping.map(record({ name: 'N' })))).toEqual(['missing_required email null']);
    expect(bodyOf(compileJson([], { key: 'ref', required: ['email'] }).map(record({})))).toContainEqual(
      'empty_key ref null',
    );
  });

  test('nothing of a required field that a constant, a list in one cell or a part fills', () => {
    const settings = {
      fields: { name: { value: 'N' } },
      required: ['name', 'accounts.0.currencies.0', 'details', 'accounts.#.currencies'],
    };
    const mapping = compileCsv(['accounts.0.currencies', 'details.taxId'], settings);
    expect(mapping.map(cells('EUR', '1'))).toMatchObject({ kind: 'mapped' });
  });
});

test.each<[string, readonly string[], Record<string, unknown>]>([
  ['a column without a name', ['', 'name', ''], {}],
  ['columns that share a name, where the job ignores them', ['nix', 'name', 'nix'], { ignore: ['nix'] }],
])('%s is no matter of the job', (_, columns, settings) => {
  const row = cells(...columns.map((column) => (column === 'name' ? 'N' : 'x')));
  expect(bodyOf(compileCsv(columns, settings).map(row))).toEqual({ name: 'N' });
});

test.each([{ key: 'K' }, { fields: { email: 'K' } }])(
  'columns that share a name are refused where the job uses it: %j',
  (settings) => {
    const problems = problemsOf(() => compileCsv(['K', 'name', 'K'], settings));
    expect(problems.join()).toContain('the file has more than one column "K"; expected that name once');
  },
);

test('whatever a header says, it is refused or fills a known field, and no prototype changes', () => {
  const part = fc.constantFrom(
    ...'__proto__ constructor prototype toString name accounts 0 [0] iban details x'.split(' '),
  );
  const header = fc.oneof(
    fc.array(part, { maxLength: 4 }).map((parts) => parts.join('.')),
    fc.string(),
  );
  const prototypes = () =>
    JSON.stringify([Object.prototype, Array.prototype, Object.getOwnPropertyNames(Object.prototype)]);
  const before = prototypes();
  fc.assert(
    fc.property(header, (column) => {
      try {
        const body = JSON.stringify(bodyOf(compileCsv([column]).map(cells('polluted'))));
        // Nothing is taken from a column without a name.
        expect(body).toContain(column === '' ? 'empty_row' : 'polluted');
        expect(body).not.toMatch(/__proto__|constructor|prototype/);
      } catch (error) {
        if (!(error instanceof UsageError)) throw error;
      }
      expect(prototypes()).toBe(before);
    }),
  );
});
