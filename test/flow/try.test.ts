import { rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Tried } from '../../src/runs/trial.ts';
import { type Flow, startFlow } from '../support/flow.ts';
import { newestRun } from '../support/run-control.ts';

const ROWS = [
  'Ref,Short,Legal,Since',
  'A1,One,One Ltd,2020-01-31',
  'A2,Two,Two Ltd,31.01.2020',
  'A3,Three,Three,2020-01-31',
  'A4,Four,,2020-01-31',
].join('\n');

const job = (name: string, pattern: string) =>
  `operation: subclient.create
key: Ref
fields:
  details.name: ${name}
  kyc.details.incorporationDate: { column: Since, as: date, pattern: [${pattern}] }
ignore: [${name === 'Short' ? 'Legal' : 'Short'}]
required: [details.name]
`;

/** Loads the rows by their short names, and as dates of one form alone: A2 is invalid. */
async function loaded(flow: Flow) {
  const definition = await flow.file('partner.yaml', job('Short', 'yyyy-MM-dd'));
  const file = await flow.file('partner.csv', ROWS);
  expect((await flow.onboard(['run', '--job-file', definition, file, '--yes'])).exitCode).toBe(1);
  return {
    file,
    id: await newestRun(flow),
    changed: await flow.file('changed.yaml', job('Legal', 'yyyy-MM-dd, dd.MM.yyyy')),
  };
}

const triedOf = ({ stdout }: { readonly stdout: string }): Tried => JSON.parse(stdout);

describe('a changed definition over a file that was loaded', () => {
  test('says which rows pass, are refused, and stand otherwise at the service; nothing is called', async () => {
    const flow = await startFlow();
    const { changed, id } = await loaded(flow);
    const before = flow.sandbox.stats();
    const tried = await flow.onboard(['try', 'partner', '--job-file', changed]);
    expect([tried.exitCode, tried.stdout.trim()]).toEqual([
      1,
      [
        `partner.csv, run ${id}: 4 rows`,
        '  1 row was invalid, and would be sent, for example row 2',
        '  1 row was sent or skipped, and would be invalid',
        '    row 4, column "Legal": expected a value: the job definition requires the field details.name',
        '  1 record stands at the service, and would be sent otherwise',
        '    details.name 1',
        '    row 1, details.name: "One" → "One Ltd"',
        '  1 record stands there as it would be sent',
        '  0 rows otherwise: invalid as before, or without a record there',
      ].join('\n'),
    ]);
    expect(flow.sandbox.stats()).toEqual(before);

    // Of rows that were skipped in the next file the record stands there, too.
    const same = await flow.file('partner.yaml', job('Short', 'yyyy-MM-dd'));
    await flow.load(same, `${ROWS}\nA5,Five,Five,2020-01-31\n`);
    const all = triedOf(
      await flow.onboard(['try', 'partner', '--job-file', changed, '--run', 'latest', '--json']),
    );
    expect(all).toMatchObject({
      rows: 5,
      pass: { rows: 1 },
      refused: { rows: 1 },
      differ: { rows: 1 },
      same: 2,
      others: 0,
    });

    const json = triedOf(
      await flow.onboard(['try', 'partner', '--job-file', changed, '--run', id, '--json']),
    );
    expect(json).toMatchObject({
      run: id,
      pass: { rows: 1, examples: [2] },
      refused: { rows: 1, examples: [{ row: 4 }] },
      differ: {
        rows: 1,
        fields: [{ field: 'details.name', rows: 1 }],
        examples: [{ row: 1, line: 2, field: 'details.name' }],
      },
      same: 1,
    });
    expect(JSON.stringify(json)).not.toContain('One');
  });

  test('the definition itself changes nothing, another key stands as such, and an account shows its last signs alone', async () => {
    const flow = await startFlow();
    const { id } = await loaded(flow);
    const same = await flow.file('same.yaml', job('Short', 'yyyy-MM-dd'));
    const tried = await flow.onboard(['try', 'partner', '--job-file', same, '--run', id, '--json']);
    expect([tried.exitCode, triedOf(tried)]).toMatchObject([
      0,
      { pass: { rows: 0 }, refused: { rows: 0 }, differ: { rows: 0 }, same: 3 },
    ]);

    const keyed = await flow.file(
      'keyed.yaml',
      job('Short', 'yyyy-MM-dd').replace('key: Ref', 'key: Short').replace('[Legal]', '[Legal, Ref]'),
    );
    const otherwise = await flow.look(['try', 'partner', '--job-file', keyed]);
    expect(otherwise).toContain('row 1, (key): A1 → One');

    const payees = await flow.file('payees.csv', 'Ref,Name,Iban\nP1,Ann,GB33BUKB20201555555555\n');
    const payee = (fields: string) =>
      `operation: counterparty.draft\nkey: Ref\nfields:\n  name: Name\n  ${fields}\n`;
    const [first, second] = await Promise.all([
      flow.file('payees.yaml', payee('accounts.0.iban: Iban')),
      flow.file('second.yaml', payee('accounts.0.accountNumber: Iban')),
    ]);
    expect((await flow.onboard(['run', '--job-file', first, payees, '--yes'])).exitCode).toBe(0);
    const accounts = (await flow.onboard(['try', 'payees', '--job-file', second])).stdout;
    expect(accounts).toContain('row 1, accounts.0.iban: …5555 → nothing');
    expect(accounts).not.toContain('BUKB');
  });

  test('the latest is the job’s own, and a run of another job is refused by name', async () => {
    const flow = await startFlow();
    const { changed, id } = await loaded(flow);
    const { run: other } = (await flow.load(job('Short', 'yyyy-MM-dd'), `${ROWS}\nA5,Five,Five,\n`)).summary;
    const latest = await flow.onboard(['try', 'partner', '--job-file', changed, '--run', 'latest', '--json']);
    expect(triedOf(latest).run).toBe(id);
    const { exitCode, stderr } = await flow.onboard([
      'try',
      'partner',
      '--job-file',
      changed,
      '--run',
      other,
    ]);
    expect([exitCode, stderr]).toEqual([
      3,
      expect.stringMatching(
        `Run ${other} is of the job "job-1": expected a run of "partner".*onboard try job-1 --run ${other}`,
      ),
    ]);
  });

  test('is not tried where the file is gone or another, nor where the definition does not fit it', async () => {
    const flow = await startFlow();
    const { file, changed } = await loaded(flow);
    const narrow = await flow.file(
      'narrow.yaml',
      job('Short', 'yyyy-MM-dd').replace('column: Since', 'column: Until'),
    );
    const misfit = await flow.onboard(['try', 'partner', '--job-file', narrow]);
    expect([misfit.exitCode, misfit.stdout]).toEqual([3, expect.stringContaining('not tried, since')]);
    await writeFile(file, `${ROWS}\nA5,Five,Five,2020-01-31`);
    const words = 'not tried, since its file is gone, or is another by now';
    for (const change of [() => undefined, () => rm(file)]) {
      await change();
      const tried = await flow.onboard(['try', 'partner', '--job-file', changed]);
      expect([tried.exitCode, tried.stdout]).toEqual([3, expect.stringContaining(words)]);
    }
    const nobody = await flow.onboard(['try', 'nobody', '--job-file', changed]);
    expect([nobody.exitCode, nobody.stderr]).toEqual([
      3,
      expect.stringContaining('No file of the job "nobody" was loaded'),
    ]);
  });
});
