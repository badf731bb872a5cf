import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { readDocument } from '../../../src/config/yaml-document.ts';
import { fieldCatalog } from '../../../src/delivery/service/operations.ts';
import type { Row } from '../../../src/model/row.ts';
import { type BuiltIn, OPERATIONS, pathFieldOf } from '../../../src/operations/operations.ts';
import { compileMapping } from '../../../src/readers/mapping/mapping.ts';
import { jobYaml } from '../../../src/readers/mapping/proposal/job-yaml.ts';
import { suggestField } from '../../../src/readers/mapping/proposal/meaning.ts';
import { proposeJob } from '../../../src/readers/mapping/proposal/propose-job.ts';
import { definitionOf, sourceOf } from './catalog.ts';

const ORIGIN = { file: 'a.csv', understood: 'CSV', rows: 2, format: {} };

function propose(operation: BuiltIn, columns: readonly string[], rows: readonly Row[] = []) {
  return proposeJob({
    operation,
    catalog: fieldCatalog(operation),
    pathField: pathFieldOf(operation),
    source: sourceOf('csv', columns),
    rows,
  });
}

function row(cells: readonly string[], more: Partial<Extract<Row, { kind: 'cells' }>> = {}): Row {
  return { kind: 'cells', row: 1, line: 2, cells: [...cells], ...more };
}

describe('when headers are business names', () => {
  test('a name that could mean several fields says so', () => {
    const [name, country] = propose('subclient.create', ['Name', 'Country']).fields;
    expect(name).toMatchObject({ field: 'details.name', notes: [expect.stringContaining('could also be')] });
    expect(country).toMatchObject({
      field: 'addresses.primary.country',
      notes: [expect.stringContaining('could')],
    });
  });

  test('what nothing is known of waits for a decision', () => {
    expect(propose('subclient.create', ['Legal Name', 'Account Manager', 'Company']).open).toEqual([
      { column: 'Account Manager', reason: 'no field was found for it' },
      { column: 'Company', reason: '"Legal Name" is taken for details.name' },
    ]);
  });
});

function table(text: string): { readonly columns: readonly string[]; readonly rows: readonly Row[] } {
  const [header = [], ...cells] = text.split('|').map((line) => line.split(',').map((cell) => cell.trim()));
  return { columns: header, rows: cells.map((one) => row(one)) };
}

function proposeFor(operation: BuiltIn, text: string) {
  const { columns, rows } = table(text);
  return propose(operation, columns, rows);
}

describe('when a header says more than a name', () => {
  const DOUBT = [expect.stringContaining('in brackets')];

  test.each([
    ['Monthly Volume (EUR)', 'kyc.details.monthlyVolumeAmount', DOUBT],
    ['Volume mensuel [€]', 'kyc.details.monthlyVolumeAmount', []],
    ['Monatsumsatz (TEUR)', 'kyc.details.monthlyVolumeAmount', DOUBT],
    ['Gründungsdatum (TT.MM.JJJJ)', 'kyc.details.incorporationDate', DOUBT],
    ['Legal name (old)', 'details.name', DOUBT],
    ['Ville (facturation)', 'addresses.billing.town', []],
    ['Town / City', 'addresses.primary.town', []],
    ['Nombre o razón social', 'details.name', []],
  ])('%s is %s', (header, field, notes) => {
    expect(propose('subclient.create', [header]).fields).toMatchObject([{ field, notes }]);
  });

  test.each(['Annual turnover (EUR)', 'Town / Country', 'Legal name / Phone', 'Nr.', '('.repeat(100_000)])(
    'but %s is nothing that is known',
    (header) => {
      expect(propose('subclient.create', [header]).fields).toEqual([]);
    },
  );
});

test.each([
  ['a name that is no key', 'Matchcode,Legal Name|AB1,A|CD-22,B|E3,C'],
  ['a column that has a field', 'Company No,Legal Name|HRB12,A|HRB14,B|HRB99,C'],
  ['a cell that many rows have', 'Reference,Legal Name|Rent,A|Rent,B|Rent,C'],
])('%s is proposed as no key', (_, text) => {
  expect(proposeFor('subclient.create', text).key).toBeNull();
});

describe('when a column has the keys of another file', () => {
  test.each([
    ['Payee ID,Client Ref,Name|P1,C1,A|P2,C1,B', 'Payee ID', 'Client Ref'],
    ['Empfänger-ID,Kundennummer,Name|P1,C1,A|P2,C1,B', 'Empfänger-ID', 'Kundennummer'],
    ['externalId,owner,Name|P1,C1,A|P2,C1,B', 'externalId', 'owner'],
  ])('of %s it is proposed as a reference', (text, key, column) => {
    const proposal = proposeFor('counterparty.draft', text);
    expect(proposal.key?.column).toBe(key);
    expect(proposal.fields).toContainEqual(
      expect.objectContaining({ column, field: 'parent.id', notation: { ref: 'subclient' } }),
    );
  });

  test('one that repeats for different payees is no key of theirs', () => {
    const proposal = proposeFor('counterparty.draft', 'Kundennummer,Name,IBAN|C1,A,I1|C1,B,I2|C2,D,I3');
    expect(proposal.key).toBeNull();
    expect(proposal.fields).toContainEqual(
      expect.objectContaining({ column: 'Kundennummer', field: 'parent.id' }),
    );
  });

  test('one that does not repeat could be either, and says so', () => {
    const { key } = proposeFor('counterparty.draft', 'Kundennummer,Name,IBAN|C1,A,I1|C2,B,I2|C3,D,I3');
    expect(key).toMatchObject({ column: 'Kundennummer', note: expect.stringContaining('parent.id') });
  });
});

test('where keys of payees repeat, the proposal says how several rows become one payee', () => {
  const repeated = proposeFor('counterparty.draft', 'Payee ID,Name,IBAN|P1,A,I1|P1,A,I2|P2,B,I3');
  expect(repeated.key).toMatchObject({ column: 'Payee ID', flaws: 1 });
  expect(jobYaml(repeated, ORIGIN)).toMatch(/take out the # before this line:\n# group: accounts\n/);
  const single = proposeFor('counterparty.draft', 'Payee ID,Name,IBAN|P1,A,I1|P2,B,I3');
  expect(jobYaml(single, ORIGIN)).not.toContain('group');
});

test.each([
  ['Nombre,Apellidos', ['firstName', 'lastName'], []],
  ['Nom,Prénom', ['lastName', 'firstName'], []],
  ['Payee,Vorname,Nachname', ['name', 'firstName', 'lastName'], []],
  ['Name,IBAN', ['name', 'accounts.0.iban'], ['name']],
])('of %s a bare name is the one that is missing, and a person needs none', (text, fields, required) => {
  const proposal = proposeFor('counterparty.draft', text);
  expect(proposal.fields.map(({ field }) => field)).toEqual(fields);
  expect(proposal.required).toEqual(required);
});

describe('the account of a payee', () => {
  test.each(['Sort code', 'BLZ', 'BIC', 'Bank name'])('is a number beside which stands %s', (header) => {
    const { fields } = propose('counterparty.draft', ['Name', 'Account number', header]);
    expect(fields.map(({ field }) => field)).toContain('accounts.0.accountNumber');
  });

  test.each([
    ['Name', 'Konto'],
    ['Name', 'Konto', 'IBAN', 'BIC'],
  ])('is no number that may be of a ledger: %s, %s', (...headers) => {
    expect(propose('counterparty.draft', headers).open).toEqual([
      { column: 'Konto', reason: expect.stringContaining('books') },
    ]);
  });
});

test.each([
  ['Name', 'Legal name'],
  ['Legal name', 'Name'],
  ['Company', 'Legal name'],
])('of %s and %s the longer name is taken for the field', (...headers) => {
  const { fields } = propose('subclient.create', headers);
  expect(fields).toMatchObject([{ field: 'details.name', column: 'Legal name' }]);
});

test('a column of IBANs is proposed as such, whatever its name says', () => {
  const iban = 'NL91 ABNA 0417 1643 00,NL20INGB0001234567'.split(',');
  for (const header of ['Bankrekening', 'Konto', 'Account number']) {
    const { fields } = proposeFor('counterparty.draft', [header, ...iban].join('|'));
    expect(fields).toMatchObject([{ field: 'accounts.0.iban', notes: ['its cells are IBANs'] }]);
  }
});

describe('the key', () => {
  test.each<[BuiltIn, string, string | null, string[]]>([
    ['subclient.create', 'ID,Name|1,A|2,B|3,C', null, []],
    ['subclient.create', '#,Name|1,A|2,B|3,C', null, []],
    ['subclient.create', 'ID,Name|1,A|3,B|2,C', 'ID', []],
    ['subclient.create', 'Account ID,Name|x1,A|x2,B|x3,C', 'Account ID', []],
    ['counterparty.draft', 'Código,Nombre|1,A|3,B|2,C', 'Código', []],
    ['subclient.create', 'KvK-nummer,Naam|8,A|7,B|9,C', null, ['KvK-nummer']],
    ['counterparty.draft', 'SIREN,Nom|8,A|7,B|9,C', null, ['SIREN']],
    ['counterparty.draft', 'SIREN,Nom|8,A|7,B|7,C', null, []],
    ['counterparty.draft', 'Referenz,Name|R8,A|R7,B|R9,C', null, []],
  ])('for %s, of %s is %j; offered are %j', (operation, text, key, offered) => {
    const proposal = proposeFor(operation, text);
    const candidates = proposal.candidates.map(({ column }) => column);
    expect([proposal.key?.column ?? null, candidates]).toEqual([key, key === null ? offered : [key]]);
    for (const column of offered) expect(jobYaml(proposal, ORIGIN)).toContain(`\n# key: "${column}" `);
  });

  test('that is one of two is proposed, and its definition names the other', () => {
    const proposal = proposeFor('subclient.create', 'Customer ID,externalId,Name|C1,P2,A|C2,P1,B|C3,P3,C');
    expect(proposal.candidates.map(({ column }) => column)).toEqual(['externalId', 'Customer ID']);
    const yaml = jobYaml(proposal, ORIGIN);
    expect(yaml).toContain('# It could also be "Customer ID": make sure that it is not.\nkey: externalId\n');
    const only = jobYaml(proposeFor('subclient.create', 'externalId,Name|P2,A|P1,B|P3,C'), ORIGIN);
    expect(only).not.toContain('It could also be');
  });

  test.each([
    ['0015g00000AbCdE', '0015g00000AbCde', true],
    ['0015g00000AbCdE', '0015g00000AbCdF', false],
    ['0015g00000AbCdEAA', '0015g00000AbCdeAA', false],
  ])('of identifiers such as %s and %s is exact: %s', (one, other, isExact) => {
    const yaml = jobYaml(proposeFor('subclient.create', `Account ID,Name|${one},A|${other},B`), ORIGIN);
    expect(yaml.includes('\nkeyForm: exact\n')).toBe(isExact);
  });
});

test.each<[BuiltIn, string, string]>([
  ['counterparty.draft', 'Fax,Land', 'Incomplete: no column was found for the name, the key, the account.'],
  ['subclient.create', 'Fax,Customer ID', 'Incomplete: no column was found for the name.'],
  ['counterparty.draft', 'Payee ID,Name,IBAN', 'Proposed'],
])('for %s, of %s the first line says what the proposal lacks: %s', (operation, header, first) => {
  expect(jobYaml(propose(operation, header.split(',')), ORIGIN)).toMatch(new RegExp(`^# ${first}`));
});

test.each<[BuiltIn, string]>([
  ['subclient.create', 'Partner Ref,ID,Status,Vanity ID'],
  ['counterparty.draft', 'Payee ID,ID,Status,id,status,payable.enabled'],
])('of %s nothing is proposed that only the service sets', (operation, header) => {
  const [, ...columns] = header.split(',');
  const proposal = propose(operation, header.split(','));
  expect(proposal).toMatchObject({ itself: [] });
  expect(proposal.open.map(({ column }) => column)).toEqual(columns);
});

test('when the rows come from a workbook, its dates and numbers are read in one way, and raise no question', () => {
  const columns = ['Name', 'Incorporated', 'Volume'];
  const rows = [row(['A', '2020-04-03', '1.234'], { typed: [1, 2] })];
  const { fields } = propose('subclient.create', columns, rows);
  expect(fields.map(({ notation }) => notation)).toEqual([{}, {}, {}]);
});

test('of dates in a workbook one that is none costs the column nothing', () => {
  const dates = Array.from({ length: 9 }, () => row(['A', '2020-04-03'], { typed: [1] }));
  const { fields } = propose('subclient.create', ['Name', 'Incorporated'], [...dates, row(['A', 'n/a'])]);
  const notes = ["1 of the cells looked at doesn't fit"];
  expect(fields[1]).toMatchObject({ isDecided: true, notation: {}, notes });
});

test('where a workbook has numbers for an account, the proposal has the line that takes them', () => {
  const columns = ['Payee ID', 'Name', 'accounts.0.accountNumber', 'accounts.0.sortCodeUK'];
  const rows = [row(['7', 'A', '55555555', '202015'], { typed: [0, 2] })];
  const { key, fields, itself } = propose('counterparty.draft', columns, rows);
  expect(key).toMatchObject({ column: 'Payee ID', note: null });
  const line = 'accounts.0.accountNumber: { column: "accounts.0.accountNumber", numbers: right }';
  const remedy = [expect.stringContaining('numbers are refused here'), line];
  expect(fields.slice(-1)).toMatchObject([{ field: 'accounts.0.accountNumber', notation: {}, remedy }]);
  expect(itself).toEqual(['accounts.0.sortCodeUK']);
});

describe('the country of a payee, which the service calls text', () => {
  const proposed = (header: string, ...cells: readonly string[]) => {
    const rows = cells.map((cell) => row(['K', 'A', cell]));
    return propose('counterparty.draft', ['Payee ID', 'Name', header], rows).fields.at(-1);
  };

  test.each(['country', 'accounts.0.country', 'Land der Bank'])('%s is proposed as a code', (header) => {
    const notation = { as: 'country' };
    expect(proposed(header, 'España', 'Deutschland')).toMatchObject({ notation, isDecided: true, notes: [] });
    expect(proposed(header)).toMatchObject({ notation });
  });

  test('stays as it is where many cells are no country', () => {
    const notes = [expect.stringContaining('expected a country')];
    const found = proposed('Land der Bank', 'Atlantis', 'Mu');
    expect(found).toMatchObject({ notation: {}, isDecided: true, notes });
  });
});

const names = [
  ...'details.name|Details.Name|name|Name|Legal Name|accounts.0.iban|accounts[0].iban|IBAN|id|ID'.split('|'),
  ...'currencies|currencies.0|Country|Incorporated|Volume|Regulated|Ref|REF|externalId|paymentId'.split('|'),
  ...['Parent Ref', 'parent.id', 'draft', 'accounts', 'onboard_row', '', ' ', 'true'],
  ...['null', '- x', '# x', 'a: b', '"', "'", '{', '*a', 'x\ny', '\u0085\u2028'],
];
const header = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...names) }, fc.string({ unit: 'grapheme' }));
const cell = fc.constantFrom(
  ...['', 'A', 'K1', '03/04/2020', '31/12/2020', '1.234', '1,5', 'ja', 'no', 'FR', '1E+5'],
);

test('whatever the headers and cells are, the proposal is a definition that fits the file, and loses no column', () => {
  const file = fc.array(header, { minLength: 1, maxLength: 8 }).chain((columns) =>
    fc.tuple(
      fc.constant(columns),
      fc.array(fc.array(cell, { minLength: columns.length, maxLength: columns.length }), {
        maxLength: 4,
      }),
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom(...OPERATIONS), file, (operation, [columns, rows]) => {
      const read = rows.map((cells) => row(cells));
      const proposal = propose(operation, columns, read);
      const document = readDocument(jobYaml(proposal, ORIGIN));
      expect(document).toMatchObject({ kind: 'document' });
      const definition = jobDefinitionSchema.parse(document.kind === 'document' ? document.value : null);
      const source = sourceOf('csv', columns);
      const needsPathId = proposal.missingId === null && operation === 'subclient.update';
      const [catalog, pathField] = [fieldCatalog(operation), pathFieldOf(operation)];
      compileMapping({ definition, source, catalog, pathField, needsPathId });
      const placed = [
        ...proposal.itself,
        ...proposal.fields.map(({ column }) => column),
        ...proposal.open.map(({ column }) => column),
        ...(proposal.key === null ? [] : [proposal.key.column]),
        'onboard_row',
      ];
      expect(columns.filter((column) => column !== '' && !placed.includes(column))).toEqual([]);
    }),
    { numRuns: 60 },
  );
});

function suggested(operation: BuiltIn, written: string): string {
  const options = {
    definition: definitionOf({ operation }),
    catalog: fieldCatalog(operation),
    pathField: null,
    problems: [],
  };
  return suggestField(written, options);
}

test.each<[BuiltIn, string, string]>([
  ['counterparty.draft', 'Sort code', 'accounts.0.sortCodeUK'],
  ['counterparty.draft', 'Account no', 'accounts.0.accountNumber'],
  ['counterparty.draft', 'SWIFT 2', 'accounts.1.bic_swift'],
  ['subclient.create', 'Legal name', 'details.name'],
  ['subclient.create', 'tradeRegistrId', 'details.tradeRegistryId'],
])('for %s, %j is taken for %s', (operation, written, field) => {
  expect(suggested(operation, written)).toBe(` Did you mean "${field}"?`);
});

test.each<[BuiltIn, string]>([
  ['subclient.create', 'Sort code'],
  ['counterparty.draft', 'Parent ref'],
  ['counterparty.draft', 'Cost centre'],
])('for %s, %j is taken for nothing rather than for another field', (operation, written) => {
  expect(suggested(operation, written)).toBe('');
});
