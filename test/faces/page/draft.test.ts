import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatSchema, jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { parseFormJob } from '../../../src/config/load-job.ts';
import { readDocument } from '../../../src/config/yaml-document.ts';
import { type Draft, type DraftForm, draftOf } from '../../../src/faces/page/draft.ts';
import type { BuiltIn } from '../../../src/operations/operations.ts';
import { sampleFile } from '../../../src/runs/check/proposal.ts';
import { ownFile } from '../../support/folder.ts';

const german = () => sampleFile('samples/partner-de-subclients.csv', formatSchema.parse({}));
const named = (draft: Draft, column: string) => draft.columns.find((one) => one.column === column);

type Change = Partial<{ field: string; reading: string; isConfirmed: boolean }>;
type Changes = Readonly<Record<string, Change>>;

/** What the form of that draft sends back, with what somebody has changed. */
function formOf(draft: Draft, changes: Changes): DraftForm {
  return {
    operation: draft.operation,
    mappedFor: draft.operation,
    job: draft.job,
    key: draft.key.choice,
    columns: draft.columns.map(({ column, field, reading }) => ({ field, reading, ...changes[column] })),
  };
}

test("a file's own draft says of each column what would really be sent of it", async () => {
  const draft = draftOf({ ...(await german()), file: 'Kunden März.csv' }, 'subclient.create', null);
  expect(draft).toMatchObject({ operation: 'subclient.create', job: 'kunden-m-rz', problems: [] });
  const since = named(draft, 'Gründungsdatum');
  expect(since).toMatchObject({ field: 'kyc.details.incorporationDate' });
  expect(since?.reading).toContain('dd.MM.yyyy');
  expect(since?.samples[0]).toEqual({ cell: '13.08.2001', sent: '"2001-08-13T00:00:00.000Z"' });
  expect(draft.request).toMatch(/^POST \/v1\/subclients\n\{/);
  // What is shown is a definition as it stands.
  expect(jobDefinitionSchema.safeParse(parseFormJob(draft.yaml, draft.job).definition).success).toBe(true);
});

test('what is no field is said beside it, and the others are shown as they are sent', async () => {
  const sample = await german();
  const first = draftOf(sample, 'subclient.create', null);
  const changes: Changes = { Firma: { field: 'details.nme' }, Ort: { field: 'details' } };
  const known = Object.fromEntries(
    Object.entries(changes).filter(([column]) => named(first, column) !== undefined),
  );
  expect(Object.keys(known).length).toBeGreaterThan(0);
  const draft = draftOf(sample, 'subclient.create', formOf(first, known));
  for (const [column, { field }] of Object.entries(known))
    expect(named(draft, column)?.fieldProblem).toContain(
      `${field} ${field === 'details' ? 'has fields' : 'is no field'}`,
    );
  expect(draft.problems.join()).toContain('Did you mean "details.name"?');
  expect(draft.request).toMatch(/^POST /);
  expect(named(draft, 'Gründungsdatum')?.samples[0]?.sent).toBe('"2001-08-13T00:00:00.000Z"');
});

test('a payee job holds a known payee with another account, and keeps its name required whatever column gives it', async () => {
  const file = await ownFile('Ref,Nick,Company,IBAN\nP1,Ab,Ab Ltd,DE75512108001245126199\n');
  const sample = await sampleFile(file, formatSchema.parse({}));
  const first = draftOf(sample, 'counterparty.draft', null);
  const changes = { Nick: { field: '' }, Company: { field: 'name' }, IBAN: { field: 'accounts.0.iban' } };
  const form = { ...formOf(first, changes), key: { kind: 'column', at: 0 } as const };
  const { definition } = parseFormJob(draftOf(sample, 'counterparty.draft', form).yaml, 'payees');
  expect(definition).toMatchObject({ guard: { accounts: 'hold' }, required: ['name'] });
  const loose = draftOf(sample, 'counterparty.draft', form).yaml.replace('hold', 'off');
  expect(() => parseFormJob(loose, 'payees')).toThrow('the form of the page has no such setting');
});

test('beside the name of a contact the name of nearly all rows is required', async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `P${i},${i === 7 ? '' : `Co ${i}`},Last ${i}`);
  const file = await ownFile(['Ref,Company,Contact', ...rows, ''].join('\n'));
  const sample = await sampleFile(file, formatSchema.parse({}));
  const changes = { Company: { field: 'name' }, Contact: { field: 'lastName' } };
  const first = draftOf(sample, 'counterparty.draft', null);
  const form = { ...formOf(first, changes), key: { kind: 'column', at: 0 } as const };
  expect(parseFormJob(draftOf(sample, 'counterparty.draft', form).yaml, 'p').definition.required).toEqual([
    'name',
  ]);
});

test('a name that a job has already is not proposed, and not taken', async () => {
  const sample = { ...(await german()), file: 'kunden.csv' };
  const taken = ['kunden', 'kunden-2', 'other'];
  const draft = draftOf(sample, 'subclient.create', null, taken);
  expect([draft.job, draft.problems]).toEqual(['kunden-3', []]);
  const typed = draftOf(sample, 'subclient.create', { ...formOf(draft, {}), job: 'other' }, taken);
  expect(typed.problems).toEqual(['There is a job “other” already: choose another name.']);
});

/** Two columns that could be the key, one that counts the rows, and one that two rows share. */
async function customers(operation: BuiltIn, form: Partial<DraftForm> = {}) {
  const rows = ['1,C1,P8,Acme', '2,C2,P7,Beta', '3,C3,P9,Beta'];
  const file = await ownFile(['No,Customer ID,externalId,Name', ...rows, ''].join('\n'));
  const sample = await sampleFile(file, formatSchema.parse({}));
  const draft = draftOf(sample, operation, null);
  return draftOf(sample, operation, { ...formOf(draft, {}), ...form });
}

const keyAt = (at: number) => ({ key: { kind: 'column', at } }) as const;

test('no column is the key by itself: candidates are named, the likeliest first, and the job waits', async () => {
  const { key, columns, problems } = await customers('subclient.create');
  const seen = 'Each of the rows looked at has one of its own.';
  expect(key.candidates).toEqual([
    { at: 2, column: 'externalId', seen },
    { at: 1, column: 'Customer ID', seen },
  ]);
  expect(columns.filter(({ isKey }) => isKey)).toEqual([]);
  expect([problems, key.state]).toEqual([[], 'open']);
  expect(key.problem).toContain('The key is not decided');
});

test.each([
  [1, 'decided', 'Each of the rows looked at has one of its own.'],
  [0, 'doubtful', 'has one of its own. It is a count of the rows: the next file has the same numbers'],
  [3, 'doubtful', 'Of the rows looked at, 1 has none of its own.'],
])('column %i as the key is %s: %s', async (at, state, seen) => {
  const { key, columns, yaml, job } = await customers('subclient.create', keyAt(at));
  expect(key).toMatchObject({ state, problem: null, chosen: { seen: expect.stringContaining(seen) } });
  expect(parseFormJob(yaml, job).definition.key).toBe(columns[at]?.column);
  expect(yaml).not.toContain('could also be "');
});

test.each<[BuiltIn, string]>([
  ['subclient.create', 'of two equal rows of a file one is sent'],
  ['subclient.update', 'two rows of one record are both sent'],
])(
  '%s without a key needs a tick of its own, and its definition says what that means: %s',
  async (operation, means) => {
    const none = await customers(operation, { key: { kind: 'none', isUnderstood: false } });
    expect(none.key.problem).toContain('“No key” needs the tick');
    const ticked = await customers(operation, { key: { kind: 'none', isUnderstood: true } });
    expect([ticked.key.problem, ticked.key.state]).toEqual([null, 'decided']);
    expect(ticked.yaml).toContain(`# No key, as somebody has decided.\n`);
    expect(ticked.yaml).toContain(means);
    expect(ticked.yaml).not.toMatch(/the key\.$|^key:/m);
  },
);

test('a tick alone, a column that there is not, or another operation decide nothing', async () => {
  for (const key of [{ kind: 'open', isUnderstood: true } as const, keyAt(99).key]) {
    const { key: shown } = await customers('subclient.create', { key });
    expect(shown.problem).toContain('The key is not decided');
  }
  const { key } = await customers('subclient.create', { ...keyAt(1), mappedFor: 'counterparty.draft' });
  expect(key.problem).toContain('The key is not decided');
});

test('the draft of its own form is the same draft', async () => {
  const sample = await german();
  const draft = draftOf(sample, 'subclient.create', null);
  expect(draftOf(sample, 'subclient.create', formOf(draft, {}))).toEqual(draft);
});

test.each([
  ['partner-de-subclients.csv', 'subclient.create'],
  ['counterparty-drafts.csv', 'counterparty.draft'],
  ['subclients-update.csv', 'subclient.update'],
  ['payment-documents.csv', 'payment.documents'],
])('of %s the operation with fields for most columns is proposed: %s', async (file, operation) => {
  const sample = await sampleFile(`samples/${file}`, formatSchema.parse({}));
  expect(draftOf(sample, null, null)).toMatchObject({ operation });
});

test('another operation proposes the columns anew, and keeps the name of the job', async () => {
  const sample = await sampleFile('samples/counterparty-drafts.csv', formatSchema.parse({}));
  const wrong = draftOf(sample, 'payment.documents', null);
  const form = { ...formOf(wrong, {}), operation: 'counterparty.draft', job: 'mine' };
  const own = draftOf(sample, 'counterparty.draft', null);
  expect(draftOf(sample, 'counterparty.draft', form).columns).toEqual(own.columns);
  expect(draftOf(sample, 'counterparty.draft', form).job).toBe('mine');
});

/** The draft of the German file, once somebody has changed that of its form. */
async function changedBy(changes: Changes, form: Partial<DraftForm> = {}): Promise<Draft> {
  const sample = await german();
  const draft = draftOf(sample, 'subclient.create', null);
  return draftOf(sample, 'subclient.create', { ...formOf(draft, changes), ...form });
}

test('a column that is read otherwise is sent otherwise, and what does not fit is said beside it', async () => {
  const draft = await changedBy({ Gründungsdatum: { reading: '{"pattern":"yyyy-MM-dd"}' } });
  const [refused] = named(draft, 'Gründungsdatum')?.refused ?? [];
  expect(refused?.expected).toContain('yyyy-MM-dd');
  expect(refused?.rows).toBeGreaterThan(10);
});

test("a payee's country is read as one, and the form's job says so", async () => {
  const file = await ownFile('Payee ID,Name,Bank country\nK1,Acme,España\nK2,Beta,Deutschland\n');
  const sample = await sampleFile(file, formatSchema.parse({}));
  const draft = draftOf(sample, 'counterparty.draft', null);
  expect(draft.problems).toEqual([]);
  const column = named(draft, 'Bank country');
  expect(column?.field).toBe('accounts.0.country');
  expect(column?.samples).toEqual([
    { cell: 'España', sent: '"ESP"' },
    { cell: 'Deutschland', sent: '"DEU"' },
  ]);
  expect(column?.readings[0]?.words).toBe('a country');
  expect(parseFormJob(draft.yaml, draft.job).definition.fields['accounts.0.country']).toMatchObject({
    as: 'country',
  });
});

test('each cell stands beside what is sent of its own row, whatever other rows lack or repeat', async () => {
  const rows = ['K1,,Spain', 'K2,Acme,Nowhere', 'K3,Beta,France', 'K4,Beta,Spain', 'K5,Gamma,'];
  const file = await ownFile(['externalId,details.name,addresses.primary.country', ...rows, ''].join('\n'));
  const draft = draftOf(await sampleFile(file, formatSchema.parse({})), 'subclient.create', null);
  expect(named(draft, 'addresses.primary.country')?.samples).toEqual([
    { cell: 'France', sent: '"FRA"' },
    { cell: 'Spain', sent: '"ESP"' },
    { cell: 'Nowhere', sent: null },
  ]);
  expect(named(draft, 'details.name')?.samples).toEqual([
    { cell: 'Beta', sent: '"Beta"' },
    { cell: 'Gamma', sent: '"Gamma"' },
    { cell: 'Acme', sent: null },
  ]);
});

test('a column without a field is not sent, and stands under "ignore"', async () => {
  const draft = await changedBy({ Gründungsdatum: { field: '' } });
  expect(named(draft, 'Gründungsdatum')?.samples[0]).toEqual({ cell: '13.08.2001', sent: null });
  expect(parseFormJob(draft.yaml, draft.job).definition.ignore).toContain('Gründungsdatum');
});

test.each<[string, Changes, Partial<DraftForm>, string]>([
  ['a field that there is not', { Gründungsdatum: { field: 'kyc.nothing' } }, {}, 'kyc.nothing'],
  ['a reading that is none', { Gründungsdatum: { reading: '{ pattern:' } }, {}, '{ pattern:'],
  ['two columns for one field', { Land: { field: 'details.name' } }, {}, 'details.name'],
  ['a name that is none of a job', {}, { job: '../../etc/passwd' }, 'expected a name of letters'],
])('%s is a problem in words, and nothing is thrown', async (_, changes, form, said) => {
  expect((await changedBy(changes, form)).problems.join('\n')).toContain(said);
});

/** Each is read as YAML on one line, and gets settings of its own into a definition whose texts are joined. */
const FORGED = [
  '{ "pattern: x }\\nonKnownKey: update\\ninbox: /srv/others\\nfiles: \\"*\\"\\nquery: { a": b }',
  '{ pattern: dd.MM.yyyy }, onKnownKey: update',
  '{ "true": [yes], "false": [no], "values": { "": 1 } }',
  '{ value: 1 }',
  '{ pattern: "dd.MM.yyyy" }\ninbox: /srv/others',
  '{"pattern":"MMMM"}',
];

test.each(FORGED)('the reading %j, never offered, is refused and gets nowhere', async (reading) => {
  const forged = await changedBy({ Gründungsdatum: { reading } });
  expect(forged.problems.join()).toContain('expected one of the ways of reading that the page offers');
  expect(forged.yaml).toBe((await changedBy({ Gründungsdatum: { reading: '' } })).yaml);
});

test('whatever the form sends, what comes of it has no setting that the form does not have', async () => {
  const sample = await german();
  const draft = draftOf(sample, 'subclient.create', null);
  const signs = fc.constantFrom(
    ...['\n', ': ', '{', '}', '"', "'", '#', '- ', 'inbox', '*', '\u2028', 'a', '.'],
  );
  const text = fc.oneof(
    fc.array(signs).map((parts) => parts.join('')),
    fc.constantFrom(...FORGED),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(text, text, (field, reading) => {
      const changes = { Gründungsdatum: { field, reading }, Land: { field: '', reading } };
      const { yaml, problems } = draftOf(sample, 'subclient.create', formOf(draft, changes));
      const document = readDocument(yaml);
      // A name that reaches a prototype is in no document, and the page says why.
      if (document.kind !== 'document') return void expect(problems).not.toEqual([]);
      const names = Object.keys(Object(document.value));
      expect(
        names.filter((name) => !['operation', 'key', 'fields', 'ignore', 'required'].includes(name)),
      ).toEqual([]);
      if (problems.length === 0) parseFormJob(yaml, 'kunden');
    }),
    { numRuns: 40, examples: [['__proto__', '']] },
  );
});

test('of a file with more columns than the page shows the first can be mapped, and the rest is not sent', async () => {
  const header = ['details.name', ...Array.from({ length: 999 }, (_, i) => `Column ${i + 2}`)];
  const file = await ownFile(`${header.join(',')}\n${header.map((_, i) => `v${i}`).join(',')}\n`);
  const sample = await sampleFile(file, formatSchema.parse({}));
  const draft = draftOf(sample, 'subclient.create', null);
  expect([draft.columns.length, draft.more, draft.problems]).toEqual([300, 700, []]);
  const form = formOf(draft, { 'Column 300': { field: 'details.displayName' } });
  const changed = draftOf(sample, 'subclient.create', form);
  expect(named(changed, 'Column 300')?.samples).toEqual([{ cell: 'v299', sent: '"v299"' }]);
  expect(parseFormJob(changed.yaml, 'wide').definition.ignore).toEqual(
    header.filter((name) => name !== 'details.name' && name !== 'Column 300'),
  );
});

/** A file of one column that is no key, with what the page asks of it. */
async function asked(column: string, cells: readonly string[], changes: Changes = {}) {
  const rows = cells.map((cell, i) => `K${i},${cell}`);
  const file = await ownFile([`externalId,${column}`, ...rows, ''].join('\n'));
  const sample = await sampleFile(file, formatSchema.parse({}));
  const draft = draftOf(sample, 'subclient.create', null);
  return draftOf(sample, 'subclient.create', formOf(draft, changes));
}

test('where days and months could be either, each way is an answer with what it makes of a cell', async () => {
  const draft = await asked('Date of incorporation', ['03/04/2011', '05/06/2012']);
  const { question } = named(draft, 'Date of incorporation') ?? {};
  expect(question?.answers.map(({ words }) => words).toSorted()).toEqual([
    '“03/04/2011” is 3 April 2011',
    '“03/04/2011” is 4 March 2011',
  ]);
  const day = question?.answers.find(({ words }) => words.endsWith('3 April 2011'));
  const answered = await asked('Date of incorporation', ['03/04/2011', '05/06/2012'], {
    'Date of incorporation': { field: day?.field ?? '', reading: day?.reading ?? '' },
  });
  const column = named(answered, 'Date of incorporation');
  expect(column?.question).toBeNull();
  expect(column?.samples[0]?.sent).toBe('"2011-04-03T00:00:00.000Z"');
});

test('dates in several forms are counted, each with a cell, and wait for one tick', async () => {
  const cells = ['13-01-2010', '21-01-2010', '14/02/2011', '2012.03.12'];
  const draft = await asked('Date of incorporation', cells);
  expect(named(draft, 'Date of incorporation')?.dates).toEqual({
    forms: [
      '2 cells as dd-MM-yyyy: “13-01-2010” is 13 January 2010',
      '1 cell as dd/MM/yyyy: “14/02/2011” is 14 February 2011',
      '1 cell as yyyy.MM.dd: “2012.03.12” is 12 March 2012',
    ],
    asks: true,
  });
  expect(draft.unconfirmed).toHaveLength(1);
  const ticked = await asked('Date of incorporation', cells, {
    'Date of incorporation': { isConfirmed: true },
  });
  expect(ticked.unconfirmed).toEqual([]);
});

test('cells that are refused can be read as they are written by a button', async () => {
  const draft = await asked('Opened', ['31.12.2011', '30.11.2012'], {
    Opened: { field: 'kyc.details.incorporationDate' },
  });
  expect(named(draft, 'Opened')?.question?.answers).toEqual([
    {
      words: 'dd.MM.yyyy: “31.12.2011” is 31 December 2011',
      field: 'kyc.details.incorporationDate',
      reading: '{"pattern":"dd.MM.yyyy"}',
    },
  ]);
});
