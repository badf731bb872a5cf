import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runProgram } from '../../../src/faces/cli/program.ts';
import type { Checked } from '../../../src/runs/check/findings.ts';
import { ownFolder } from '../../support/folder.ts';
import { memoryIo, onboard } from './memory-io.ts';

/** A folder with a job definition and files, and `check` of them, as text or as JSON. */
async function startCheck(definition: string, files: Readonly<Record<string, string>>) {
  const folder = await ownFolder({ ...files, 'job.yaml': definition });
  const paths = Object.keys(files).map((name) => join(folder, name));
  const check = (...more: readonly string[]) =>
    onboard(['check', '--job-file', join(folder, 'job.yaml'), ...paths, ...more], {
      ONBOARD_HOME: join(folder, 'home'),
    });
  return {
    folder,
    check,
    async json(): Promise<{ readonly exitCode: number; readonly checked: Checked[] }> {
      const { exitCode, stdout } = await check('--json');
      const lines = stdout.trim().split('\n');
      return { exitCode, checked: lines.map((line) => JSON.parse(line)) };
    },
  };
}

const SUBCLIENTS = `
operation: subclient.create
key: Ref
fields:
  details.name: Name
  parent.id: { column: Parent, ref: subclient }
required: [details.name]
`;

const PAYEES = `
operation: counterparty.draft
key: Ref
group: accounts
fields: { name: Name, accounts.0.iban: IBAN }
query: { validate: 'true' }
`;

const WARNING = `${PAYEES}checks: { accounts: warn }\n`;

const UPSERT = `
operation: subclient.upsert
key: Ref
fields: { details.name: Name, details.taxId: Tax }
`;

describe('the check of a file', () => {
  test('of an upsert counts creates and updates, and shows one of each though three creates come first', async () => {
    const rows = 'Ref,Name,Tax\nA,Acme,1\nB,Beta,2\n';
    const upsert = await startCheck(UPSERT, {
      'known.csv': rows,
      'all.csv': 'Ref,Name,Tax\nC,1,\nD,2,\nE,3,\nF,4,\nA,Acme,1\nB,Bravo,2\n',
    });
    const unknown = await upsert.check();
    expect(unknown.stdout).toContain(
      '  sends       6 creates: without a ledger every key is taken for a new one\n',
    );
    const home = { ONBOARD_HOME: join(upsert.folder, 'home') };
    const job = ['--job-file', join(upsert.folder, 'job.yaml')];
    const loaded = await onboard(['run', ...job, join(upsert.folder, 'known.csv'), '--sandbox'], home);
    expect(loaded.exitCode).toBe(0);
    const run = /^Run (\S+): finished/m.exec(loaded.stdout)?.[1];
    const all = ['check', ...job, join(upsert.folder, 'all.csv'), '--sandbox'];
    const said = await onboard(all, home);
    expect(said.stdout).toContain('  sends       4 creates, 1 update\n');
    const checked = JSON.parse((await onboard([...all, '--json'], home)).stdout);
    const keys = { known: 2, held: 0, examples: [{ row: 5, key: 'A', kind: 'known', run }, { row: 6 }] };
    const estimate = { requests: 5, basis: 'last-run', run };
    const calls = { 'subclient.create': 4, 'subclient.update': 1 };
    expect(checked).toMatchObject({ calls, skipped: 1, keys, estimate });
    const shown: { row: number; method: string; path: string; body: unknown }[] = checked.requests;
    expect(shown.map(({ row, method }) => `${row} ${method}`)).toEqual([
      '1 POST',
      '2 POST',
      '3 POST',
      '6 PATCH',
    ]);
    expect(shown[3]).toMatchObject({
      path: expect.stringMatching(/^\/v1\/subclients\/.+/),
      body: { details: { name: 'Bravo' } },
    });
  });

  test('of a column of refused dates shows the first, with the setting that reads them, and counts the others', async () => {
    const definition = SUBCLIENTS.replace(
      'parent.id: { column: Parent, ref: subclient }',
      'kyc.details.incorporationDate: Since',
    );
    const days = Array.from(
      { length: 150 },
      (_, i) => `K${i},Firm ${i},${String((i % 28) + 1).padStart(2, '0')}.02.2020\n`,
    );
    const checking = await startCheck(definition, {
      'a.csv': `Ref,Name,Since\n${days.join('')}X,,tomorrow\n`,
    });
    const { stdout } = await checking.check();
    const lines = stdout.split('\n').slice(
      0,
      stdout.split('\n').findIndex((line) => line.startsWith('  read as')),
    );
    expect(lines.map((line) => line.replace(/^.*(?=a\.csv: )/, '').slice(0, 78))).toEqual([
      'a.csv: 151 rows, 151 would be invalid, 0 can be sent',
      '  151 × cell_not_convertible in "Since", first in row 1',
      '  1 × missing_required in "Name", first in row 151',
      ...[1, 2, 3, 4, 5].map((row) =>
        `  row ${row} (line ${row + 1}, column "Since"): expected a date such as 2024-03-31, or a date`.slice(
          0,
          78,
        ),
      ),
      '  row 151 (line 152, column "Name"): expected a value: the job definition requ',
      '  … and 146 more',
    ]);
    const { exitCode, checked } = await checking.json();
    expect(exitCode).toBe(1);
    expect(checked[0]?.issues[13]?.expected).toContain('it is one with pattern: "dd.MM.yyyy" in the job');
  });

  test('groups what is wrong by column and cause where rows share one, totals lines and keys written in two ways among it', async () => {
    const rows = 'Ref,Name,Parent\nA1,Acme,\nA1 ,Bay,\n\u00a0a1,Cox,\nB2,Be,\nC3,Dale,\nTotal,5 clients,\n';
    const started = await startCheck(SUBCLIENTS, { 'a.csv': rows });
    const { stdout } = await started.check();
    expect(stdout).toContain('6 rows, 3 would be invalid, 3 can be sent');
    expect(stdout).toContain(
      '\n  2 × key_alike in "Ref", first in row 2\n  1 × totals_row in "Ref", first in row 6\n',
    );
    expect(stdout).toContain('row 6 (line 7, column "Ref"): expected a record; the row says that it adds up');
  });

  test('shows the first three requests as they would be sent, method, path and body', async () => {
    const rows = 'Ref,Name,Parent\nA,Acme,\nB,,\nC,Copper,\nD,Dock,\nE,Elm,\n';
    const { checked } = await (await startCheck(SUBCLIENTS, { 'a.csv': rows })).json();
    expect(checked[0]?.requests).toEqual(
      ['1 Acme', '3 Copper', '4 Dock'].map((text) => {
        const [row = '', name] = text.split(' ');
        const request = { method: 'POST', path: '/v1/subclients', body: { details: { name } }, waits: false };
        return { row: Number(row), line: Number(row) + 1, ...request };
      }),
    );
  });

  test('says how it was read, that no ledger was looked into, and how long it would take under an assumption', async () => {
    const rows = 'Ref;Name;Parent\nA;Acmé;\n';
    const { checked } = await (await startCheck(SUBCLIENTS, { 'a.csv': rows })).json();
    expect(checked[0]).toMatchObject({
      source: { type: 'csv', encoding: 'utf-8', delimiter: ';', headerLine: 1 },
      earlierRun: null,
      keys: { target: null, reason: 'MSB_BASE_URL is not set, and neither is --sandbox', known: 0 },
      estimate: { requests: 1, seconds: 1, basis: 'assumption', perSecond: 200, run: null },
    });
  });

  test('goes by send.rate for the time it would take', async () => {
    const definition = `${SUBCLIENTS}send: { rate: 30/min }\n`;
    const rows = ['Ref,Name,Parent', ...Array.from({ length: 61 }, (_, i) => `K${i},N,`), ''].join('\n');
    const started = await startCheck(definition, { 'a.csv': rows });
    expect((await started.json()).checked[0]?.estimate).toEqual({
      requests: 61,
      seconds: 122,
      basis: 'rate',
      perSecond: 0.5,
      run: null,
    });
    expect((await started.check()).stdout).toContain(
      'about 2 min 2 s for 61 requests: the job sends 30/min (send.rate)',
    );
  });

  test('takes a reference to an earlier row, in this file or in one before, for resolved, and to a later one for open', async () => {
    const started = await startCheck(SUBCLIENTS, {
      'a.csv': 'Ref,Name,Parent\nA,Acme,\nB,Below A,A\nC,Below D,D\nD,Dock,\n',
      'b.csv': 'Ref,Name,Parent\nE,Below D,D\nF,,\nG,Below F,F\nH,Below X,X\n',
    });
    const { checked } = await started.json();
    expect(checked.map(({ references: r }) => [r.total, r.inFile, r.unresolved, r.unresolvedRows])).toEqual([
      [2, 1, 1, 1],
      [3, 1, 2, 2],
    ]);
    const open = { column: 'Parent', space: 'subclient', state: 'free' };
    const expected = (key: string) => `the key of a subclient that was created; nothing is known of "${key}"`;
    expect(checked[1]?.references.examples).toEqual([
      // Row 2, which has the key, would not be sent.
      { row: 3, line: 4, key: 'F', expected: expected('F'), ...open },
      { row: 4, line: 5, key: 'X', expected: expected('X'), ...open },
    ]);
    expect(checked[0]?.requests[1]?.body).toEqual({
      details: { name: 'Below A' },
      parent: { id: '<id of the subclient A>' },
    });
  });

  test('names what looks damaged and is sent all the same, with its first examples', async () => {
    const rows = `Ref,Name,IBAN\n${Array.from({ length: 5 }, (_, i) => `P${i},N,GB33BUKB2020155555555${i}`).join('\n')}\n`;
    const { exitCode, checked } = await (await startCheck(WARNING, { 'a.csv': rows })).json();
    const [warning] = checked[0]?.warnings ?? [];
    expect([exitCode, checked[0]?.invalid, checked[0]?.warnings.length]).toEqual([0, 0, 1]);
    expect(warning).toMatchObject({ code: 'iban_invalid', count: 5 });
    expect(warning?.examples.map(({ row }) => row)).toEqual([1, 2, 3]);
  });

  test('that is an object with an empty list says so, unless the object is a record', async () => {
    const said = await (await startCheck(SUBCLIENTS, { 'a.json': '{"rows": [], "total": 0}' })).check();
    expect(said.exitCode).toBe(3);
    expect(said.stderr).toContain(
      'the file is one object, and its list "rows" is empty: where the records are in that list, set format.records: /rows; otherwise',
    );
    expect(said.stderr).toMatch(/Such settings stand in the job file: \/\S+\/job\.yaml\n$/);
    const record = await (await startCheck(SUBCLIENTS, { 'a.json': '{"Ref": "A", "Tags": []}' })).check();
    expect(record.stderr).toContain('column "Tags": subclient.create has no such field');
  });

  test.each([
    ['', {}, ' --sandbox'],
    [' --sandbox', {}, ''],
    ['', { MSB_BASE_URL: 'https://api.example.com' }, ''],
  ])('typed with "%s" ends with the command that sends what can be sent', async (flag, env, more) => {
    const folder = await ownFolder({ 'a.csv': 'externalId,details.name\nA,Acme\n' });
    const io = memoryIo({
      env: { ONBOARD_HOME: join(folder, 'home'), ...env },
      typed: `onboard check subclients-create a.csv${flag}`,
    });
    const args = ['check', 'subclients-create', join(folder, 'a.csv'), ...flag.split(' ').slice(1)];
    expect(await runProgram(args, io)).toBe(0);
    const command = `onboard run subclients-create a.csv${flag}${more}`;
    expect(io.stdout.text.trimEnd().split('\n').at(-1)).toBe(`To send what can be sent: ${command}`);
  });

  test('reads as a report for people: the facts, then the requests', async () => {
    const started = await startCheck(SUBCLIENTS, { 'a.csv': 'Ref,Name,Parent\nA,Acme,X\nB,,\n' });
    const { stdout } = await started.check();
    expect(stdout.split('\n').filter((line) => !line.includes('delimiter was'))).toEqual([
      `${join(started.folder, 'a.csv')}: 2 rows, 1 would be invalid, 1 waits for what it refers to, 0 can be sent`,
      '  row 2 (line 3, column "Name"): expected a value: the job definition requires the field details.name',
      '  row 2 (line 3): expected at least one field with a value',
      '  read as     CSV, utf-8, delimiter ","',
      '  known keys  not looked up: MSB_BASE_URL is not set, and neither is --sandbox',
      '  references  1: 0 known, 0 created by an earlier row, 1 open',
      '              1 waits for what it refers to, and would be invalid before that is loaded; for example',
      '              row 1 (line 2, column "Parent"): expected the key of a subclient that was created; nothing is known of "X"',
      '  request     row 1: POST /v1/subclients, once what it refers to is loaded',
      '              {',
      '                "details": {',
      '                  "name": "Acme"',
      '                },',
      '                "parent": {',
      '                  "id": "<id of the subclient X>"',
      '                }',
      '              }',
      '',
    ]);
  });
});
