import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import type { Issue } from '../../../src/model/issue.ts';
import { OPERATIONS } from '../../../src/operations/operations.ts';
import { ownFile, ownFolder } from '../../support/folder.ts';
import { onboard } from './memory-io.ts';

const PAYMENTS = 'samples/payment-documents.csv';

const map = (file: string, operation: string, ...more: readonly string[]) =>
  onboard(['map', file, '--operation', operation, ...more]);

/** Proposes a definition for a file and has `check` try it on that very file. */
async function mapAndCheck(file: string, operation = 'subclient.create') {
  const out = join(await ownFolder(), 'proposed.yaml');
  const said = await map(file, operation, '--out', out);
  expect([said.exitCode, said.stdout]).toEqual([0, '']);
  const checked = await onboard(['check', '--job-file', out, file]);
  return { out, said, yaml: await readFile(out, 'utf8'), checked };
}

test.each([
  ['samples/subclients-create.csv', 'subclient.create', 'subclients-create'],
  ['samples/subclients-create-excel.csv', 'subclient.create', 'subclients-create'],
  ['samples/subclients-create.json', 'subclient.create', 'subclients-create'],
  ['samples/subclients-create.ndjson', 'subclient.create', 'subclients-create'],
  ['samples/subclients-update.csv', 'subclient.update', 'subclients-update'],
  ['samples/subclients-update.json', 'subclient.update', 'subclients-update'],
  ['samples/subclients-upsert.csv', 'subclient.upsert', 'subclients-upsert'],
  ['samples/subclients-upsert.json', 'subclient.upsert', 'subclients-upsert'],
  ['samples/counterparty-drafts.csv', 'counterparty.draft', 'counterparty-drafts'],
  ['samples/counterparty-drafts.tsv', 'counterparty.draft', 'counterparty-drafts'],
  ['samples/counterparty-drafts.json', 'counterparty.draft', 'counterparty-drafts'],
  ['samples/counterparty-drafts.ndjson', 'counterparty.draft', 'counterparty-drafts'],
  ['samples/payment-documents.csv', 'payment.documents', 'payment-documents'],
  ['samples/payment-documents.json', 'payment.documents', 'payment-documents'],
  ['samples/partner-x-subclients.csv', 'subclient.create', 'example-partner-x'],
  ['samples/partner-de-subclients.csv', 'subclient.create', 'example-partner-de'],
])('what is proposed for %s, %s, finds what the job %s finds', async (file, operation, job) => {
  const { out, checked } = await mapAndCheck(file, operation);
  expect(checked.stderr).toBe('');
  const checkedBy = async (...args: readonly string[]) => {
    const said = await onboard(['check', ...args, file, '--json'], { ONBOARD_JOBS: 'jobs' });
    const issues: readonly Issue[] = JSON.parse(said.stdout).issues;
    // Only shipped jobs raise these.
    const raised = issues.filter(({ code }) => code !== 'account_implausible');
    return raised.map(({ row, code, column }) => [row, code, column]);
  };
  expect(await checkedBy('--job-file', out)).toEqual(await checkedBy(job));
});

describe('what is proposed for the file of partner X', () => {
  test('says what its header and rows say', async () => {
    const { said, yaml } = await mapAndCheck('samples/partner-x-subclients.csv', 'subclient.create');
    for (const line of [
      'key: Partner Ref',
      '  details.name: Legal Name',
      '  # could also be the country of trading, or the regulator’s',
      '  addresses.primary.country: Country',
      '  kyc.details.incorporationDate: { column: Incorporated, pattern: dd/MM/yyyy }',
      '  kyc.details.monthlyVolumeAmount: { column: Monthly Volume, decimal: "," }',
      '  - Account Manager # no field was found for it',
      'required: [ details.name ]',
    ]) {
      expect(yaml.split('\n')).toContain(line);
    }
    expect(said.stderr).toContain('1 waits for a decision');
    expect(said.stderr).toContain('Next: onboard check --job-file');
  });

  test('holds no cell of it', async () => {
    const { yaml } = await mapAndCheck('samples/partner-x-subclients.csv', 'subclient.create');
    const [, ...rows] = (await readFile('samples/partner-x-subclients.csv', 'utf8')).split('\n');
    const cells = rows.flatMap((row) => row.split(';')).filter((cell) => cell.length > 3);
    expect(cells.filter((cell) => yaml.includes(cell))).toEqual([]);
  });
});

describe('when it is not clear how to read a column', () => {
  test('its line is a comment that says why, and the column waits', async () => {
    const file = await ownFile(
      'Ref,Name,Incorporated,Volume\nK1,A,03/04/2020,1.234\nK2,B,01/02/2021,5.678\n',
    );
    const { yaml } = await mapAndCheck(file);
    expect(yaml).toContain(
      '# the cells looked at fit dd/MM/yyyy and MM/dd/yyyy: choose one\n  # kyc.details.incorporationDate:',
    );
    expect(yaml).toContain('numbers written as in JSON and numbers with decimal ","');
    expect(yaml).toContain('  - Incorporated # see kyc.details.incorporationDate above');
  });

  test.each([
    ['31.01.15,28.06.98', '{ column: Incorporated, pattern: dd.MM.yy }'],
    ['5 Mai 2015,12 Okt. 2014', '{ column: Incorporated, pattern: d MMM yyyy }'],
    ['1/3/2015 9:30 AM,12/31/2014 12:00 p.m.', 'pattern: M/d/yyyy h:mm a }'],
    ['2015-01-31 00:00:00+01,2014-06-30 00:00:00+02', 'pattern: yyyy-MM-dd HH:mm:ssX }'],
    ['1/1/00 0:00,12/31/98 0:00', '{ column: Incorporated, pattern: M/d/yy H:mm }'],
    ['13/04/2015,04/25/2015,x', 'are written as dd/MM/yyyy: 1, MM/dd/yyyy: 1, no date: 1'],
    ['31/12/2015,2015-12-31,2015-12-30', 'are written as dd/MM/yyyy: 1, ISO 8601: 2'],
    ['31/12/2015,2015-12-31,31.12.2015', 'pattern: [ dd/MM/yyyy, yyyy-MM-dd, dd.MM.yyyy ] }'],
    ['3/4/2015,31.12.2015', 'fit d/M/yyyy or dd.MM.yyyy and M/d/yyyy or dd.MM.yyyy: choose one'],
  ])('dates written %s have the line %s', async (dates, line) => {
    const rows = dates.split(',').map((date, i) => `K${i},A,${date}`);
    const { yaml } = await mapAndCheck(await ownFile(`Ref,Name,Incorporated\n${rows.join('\n')}\n`));
    expect(yaml).toContain(line);
  });

  test('dates of which Excel has swapped some are left to a person, and checked so', async () => {
    const date = (month: number) => new Date(Date.UTC(2015, month - 1, 4));
    const table = ['13/04/2015', date(3), '31/12/2012', date(5)].map((day, i) => [`K${i}`, 'A', day]);
    const file = join(await ownFolder(), 'swapped.xlsx');
    const book = [['Ref', 'Name', 'Incorporated'], ...table];
    await writeXlsxFile(book, { dateFormat: 'dd/mm/yyyy' }).toFile(file);
    const { yaml, out } = await mapAndCheck(file);
    expect(yaml).toContain('Excel took days for months');
    const chosen = yaml.replace(
      /# (kyc\.\S+: )Incorporated\n/,
      '$1{ column: Incorporated, pattern: dd/MM/yyyy }\n',
    );
    await writeFile(out, chosen.replace(/ignore:\n(?: .*\n)+/, ''));
    const { stdout } = await onboard(['check', '--job-file', out, file, '--json']);
    expect(JSON.parse(stdout).issues.map(({ row }: Issue) => row)).toEqual([2, 4]);
  });

  test('a cell or two that fit nothing are told of, and spoil no column', async () => {
    const rows = Array.from({ length: 20 }, (_, i) => `K${i},A,${i + 1}.03.2021`);
    const file = await ownFile(`Ref,Name,Incorporated\n${rows.join('\n')}\nK99,A,31.02.2021\n`);
    const { yaml } = await mapAndCheck(file);
    expect(yaml).toContain("# 1 of the cells looked at doesn't fit\n");
    expect(yaml).toContain('are written as d.M.yyyy: 20, no date: 1\n');
    expect(yaml).toContain('{ column: Incorporated, pattern: d.M.yyyy }');
  });

  test('words for yes and no of other languages are written down', async () => {
    const file = await ownFile('Ref,Name,Regulated\nK1,A,Ja\nK2,B,Nein\n');
    const { yaml, checked } = await mapAndCheck(file, 'subclient.create');
    expect(yaml).toContain('{ column: Regulated, "true": [ Ja ], "false": [ Nein ] }');
    expect(checked.exitCode).toBe(0);
  });
});

describe('when a JSON file is one object that holds the list of its records', () => {
  const item = (n: number) => ({ ref: `K${n}`, details: { name: 'A', tags: [{ a: 1 }] } });
  const holder = JSON.stringify({ data: { count: 2, items: [item(1), item(2)] } });

  test('the only list is taken, as if the setting had been given, and a note says so', async () => {
    const file = await ownFile(holder, 'export.json');
    const said = await map(file, 'subclient.create');
    expect(said.stdout).toContain('format: { records: /data/items }');
    expect(said.stdout).toContain('key: ref');
    expect(said.stderr).toContain('its only list is taken for the records');
    const given = await map(file, 'subclient.create', '--format', 'records=/data/items');
    expect([given.exitCode, given.stdout]).toEqual([0, said.stdout]);
  });

  test('of several lists it has to be said which, or that the object itself is the record', async () => {
    const file = await ownFile(`{"more":[{"x":1}],${holder.slice(1)}`, 'export.json');
    const said = await map(file, 'subclient.create');
    expect([said.exitCode, said.stdout]).toEqual([3, '']);
    expect(said.stderr).toContain(
      'set format.records: /more or format.records: /data/items, or, where the object itself is the record, format.type: ndjson',
    );
    const whole = await map(file, 'subclient.create', '--format', 'type=ndjson');
    expect(whole.stdout).toContain('format: { type: ndjson }');
    expect(whole.stdout).toContain('data.items.0.ref');
  });

  test('a list that is a field of the operation is none of records', async () => {
    const file = await ownFile('{"name":"A","accounts":[{"iban":"I"},{"iban":"J"}]}', 'one.json');
    const said = await map(file, 'counterparty.draft');
    expect([said.exitCode, said.stdout]).toEqual([0, expect.stringContaining('"accounts.1.iban"')]);
  });
});

describe('the command', () => {
  test('writes to stdout without --out, and says what is left to decide on stderr', async () => {
    const said = await map(PAYMENTS, 'payment.documents');
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toMatch(
      /^# yaml-language-server: \$schema=\.\.\/job\.schema\.json\n.*\n# Proposed from the header of "payment-documents\.csv"/,
    );
    expect(said.stderr).toContain('0 wait for a decision');
  });

  test('leaves a file that is there alone', async () => {
    const out = await ownFile('operation: subclient.create\n', 'mine.yaml');
    const said = await map(PAYMENTS, 'payment.documents', '--out', out);
    expect(said).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('there is such a file already'),
    });
    expect(await readFile(out, 'utf8')).toBe('operation: subclient.create\n');
  });

  test('says where a file can not be written, and which names make a job', async () => {
    const folder = await ownFolder();
    const write = (out: string) => map(PAYMENTS, 'payment.documents', '--out', out);
    await writeFile(join(folder, 'file'), '');
    expect((await write(join(folder, 'file', 'a.yaml'))).stderr).toContain("can't be written (ENOTDIR)");
    expect((await write(join(folder, 'my job.txt'))).stderr).toContain("expected a job definition's name");
  });

  test('makes the folder, and quotes what a shell would take apart in the command that comes next', async () => {
    const file = await ownFile('Ref,Name\nK1,A\n', "partner's file.csv");
    const out = join(await ownFolder(), 'my jobs', 'x.yaml');
    const said = await map(file, 'subclient.create', '--out', out);
    expect(said.stderr).toContain(
      `Next: onboard check --job-file '${out}' '${file.replace("'", String.raw`'\''`)}'\n`,
    );
    expect(await readFile(out, 'utf8')).toContain('operation: subclient.create');
  });

  test('says how a setting is typed that the reader asks for', async () => {
    const titles = await ownFile('Portfolio of March\n\nRef,Legal Name\nK1,A\nK2,B\nK3,C\n');
    const said = await map(titles, 'subclient.create');
    expect(said).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('set format.header: 3, or format.header: 1 if'),
    });
    expect(said.stderr).toContain('is given as --format SETTING=VALUE');
    const read = await map(titles, 'subclient.create', '--format', 'header=3');
    expect(read).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('format: { header: 3 }') });
  });

  test('says that an update needs an identifier where no column can be one', async () => {
    const said = await map(await ownFile('Town\nA\n'), 'subclient.update');
    expect(said.exitCode).toBe(0);
    expect(said.stdout).toContain('# id: …');
    expect(said.stderr).toContain('No column was found for "id", which every row needs.');
  });
});

test('a file in other quotes is refused with the setting that reads it, and proposed with its quote and escape', async () => {
  const file = await ownFile("'Ref','Name'\n'K1','O\\'Hara, Ltd'\n'K2','x'\n");
  const refused = await map(file, 'subclient.create');
  expect([refused.exitCode, refused.stdout]).toEqual([3, '']);
  expect(refused.stderr).toContain(`set format.quote: "'"`);
  const said = await map(file, 'subclient.create', '--format', "quote='", '--format', 'escape=\\');
  expect(said.stdout).toContain(String.raw`format: { quote: "'", escape: \ }`);
});

test('where no operation is named it is told which there are, and what each is for', async () => {
  const said = await onboard(['map', await ownFile('Name\nAcme\n')]);
  expect(said.exitCode).toBe(3);
  expect(said.stderr).toContain('--operation is missing. Expected what is to be done with each row, one of');
  for (const name of [...OPERATIONS, 'custom'])
    expect(said.stderr).toMatch(new RegExp(`^onboard: +${name} +\\w`, 'm'));
  expect(said.stderr).toContain('jobs/example-custom.yaml');
});

test('a header alone is proposed from, and a list without records is not', async () => {
  const said = await map(await ownFile('Ref,Name\n'), 'subclient.create');
  expect(said.stdout).toContain('it has no rows, so how its cells are written is not known');
  expect(said.stdout).toContain('required: [ details.name ]');
  expect(said.stdout).not.toContain('rows looked at');
  const empty = await map(await ownFile('[]', 'a.json'), 'subclient.create');
  expect([empty.exitCode, empty.stderr]).toEqual([
    3,
    expect.stringContaining('has no records: expected at least one'),
  ]);
});

describe('when too many lines have another number of cells than the header', () => {
  const rows = (line: string) => Array.from({ length: 30 }, (_, i) => `K${i}${line}\n`).join('');
  test.each([
    ['all lack the same last cells', `K,A,\n${rows(',A')}`, '{ short: pad }'],
    ['all have an empty cell too many', rows(',A,,'), '{ long: drop }'],
  ])('%s: the setting is proposed that reads them', async (_, lines, format) => {
    const file = await ownFile(`externalId,details.name,alias\n${lines}`);
    expect((await onboard(['preview', file])).exitCode).toBe(3);
    const { yaml, checked } = await mapAndCheck(file);
    expect(yaml).toContain(`format: ${format}`);
    expect(checked.stdout).toContain('all can be sent');
  });

  test.each([
    ['they lack different columns', `${rows(',A,B')}K,A,B,C\nL\n`],
    [
      'few have an empty one too many, so that a delimiter may stand within',
      `${rows(',A,B,C').repeat(3)}${rows(',A, B,C,')}`,
    ],
  ])('%s: nothing is proposed', async (_, lines) => {
    const file = await ownFile(`externalId,details.name,alias,details.taxId\n${lines}`);
    expect(await map(file, 'subclient.create')).toMatchObject({ exitCode: 3, stdout: '' });
  });

  test('a line that lacks the key or a required field is never filled', async () => {
    const job = await ownFile(
      'operation: subclient.create\nkey: Ref\nfields: { details.name: Name, details.alias: Alias }\nignore: [Town, Note]\nrequired: [details.name]\nformat: { short: pad }\n',
      'job.yaml',
    );
    const file = await ownFile('Alias,Town,Name,Ref,Note\na,b,N1,R1,x\na,b,N2\na,b,N3,R3\n');
    const { stdout } = await onboard(['check', '--job-file', job, file, '--json']);
    expect(JSON.parse(stdout).issues.map(({ row, code }: Issue) => [row, code])).toEqual([
      [1, 'unreadable_row'],
    ]);
  });
});
