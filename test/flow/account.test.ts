import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { accountSchema } from '../../src/model/account.ts';
import { createJob, type Flow, startFlow, withSummary } from '../support/flow.ts';

const toldSchema = accountSchema.extend({
  openRows: z.array(z.looseObject({ row: z.number() })),
});

/** The account of the delivery that a run belongs to; its sum holds, or the test fails. */
async function accountOf(flow: Flow, run: string) {
  const told = toldSchema.parse(JSON.parse(await flow.look(['account', run, '--json'])));
  expect(told.holds).toBe(true);
  return told;
}

const numbers = ({ rows, atService, writtenOff, open }: z.infer<typeof accountSchema>) => [
  rows,
  atService,
  writtenOff,
  open,
];

const FILE = 'externalId,details.name,email\nA1,One,\n,Two,\nB3,Three,\n,Four,\nB5,Five,\n,Six,\n';

/** Six rows: one created, two refused by the service, three without a key. */
async function sixRows() {
  const flow = await startFlow({ faults: ['404=always;key=B'] });
  const job = await flow.file('job.yaml', `${createJob()}ignore: [email]\n`);
  const file = await flow.file('six.csv', FILE);
  const { summary } = await flow.run(['--job-file', job, file]);
  expect(summary.outcomes).toMatchObject({ created: 1, failed: 2, invalid: 3 });
  flow.sandbox.setFaults([]);
  return { flow, job, run: summary.run };
}

/** A report file's text with cells in place of others. */
async function corrected(flow: Flow, run: string, name: string, change: (text: string) => string) {
  const path = await flow.file(`corrected-${name}`, change(await flow.report({ run }, 'failed.csv')));
  return path;
}

/** Gives the command that the account prints, with its file in the flow's home. */
async function openAsPrinted(flow: Flow, run: string) {
  const name = /\n\n {2}Open rows.*\n.*--open (\S+)/.exec(await flow.look(['account', run]))?.[1] ?? '';
  const open = join(flow.home, name);
  return { open, ...(await flow.onboard(['account', run, '--open', open])) };
}

describe('the account of a file', () => {
  test('has every row that a rerun of some left, until it is corrected from a file or written off', async () => {
    const { flow, job, run } = await sixRows();
    expect(numbers(await accountOf(flow, run))).toEqual([6, 1, 0, 5]);
    const rerun = withSummary(await flow.onboard(['rerun', run, '--only', 'failed', '--json'])).summary;
    expect(rerun.outcomes).toMatchObject({ created: 2 });
    const after = await accountOf(flow, rerun.run);
    expect([after.delivery, ...numbers(after)]).toEqual([run, 6, 3, 0, 3]);
    expect(after.openRows.map(({ row }) => row)).toEqual([2, 4, 6]);

    const { open } = await openAsPrinted(flow, run);
    const lines = (await readFile(open, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(4);
    const [header = '', two = ''] = lines;
    const file = await flow.file('two.csv', `${header}\n${two.replace(',Two', 'K2,Two')}\n`);
    const checked = await flow.look(['check', '--job-file', job, file]);
    expect(checked).toContain(`  note        1 row stands for an open row of run ${run}.\n`);
    const correction = (await flow.run(['--job-file', job, file])).summary;
    expect(correction.outcomes).toMatchObject({ created: 1 });
    const last = await accountOf(flow, correction.run);
    expect([last.delivery, ...numbers(last)]).toEqual([run, 6, 4, 0, 2]);
    expect(last.runs).toEqual([run, rerun.run, correction.run]);

    const refused = await flow.onboard(['write-off', run, '1', '--reason', 'closed']);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('row 1 of run')]);
    await flow.look(['write-off', run, '4', '--reason', 'closed']);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 4, 1, 1]);
    const again = await flow.onboard([
      'run',
      '--job-file',
      job,
      join(flow.home, 'reports', run, 'failed.csv'),
    ]);
    expect([again.exitCode, again.stderr]).toEqual([3, expect.stringContaining('which is written off')]);
    for (const command of ['status', 'report'])
      expect(await flow.look([command, run])).toMatch(
        /onboard account \S+ --open open-\S+.csv(?!.*failed.csv:)/s,
      );
    const [second, third] = [await openAsPrinted(flow, run), await openAsPrinted(flow, run)];
    expect([second.exitCode, third.exitCode]).toEqual([0, 3]);
    expect(third.stderr).toContain('is there already, maybe corrected');
    await flow.look(['write-off', run, '--only', 'invalid', '--reason', 'never came']);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 4, 2, 0]);
    expect(await flow.look(['status'])).toContain('Nothing needs attention');
    // Given again, the file is told as it stands now, not as its report once had it.
    const known = (await flow.run(['--job-file', job, join(flow.home, 'six.csv')])).summary;
    expect([known.run, known.account]).toMatchObject([run, { atService: 4, writtenOff: 2, open: 0 }]);
    expect(await flow.report({ run }, 'report.html')).toMatch(
      /<h1>4 of 6 rows are at the service<.*Nothing is left to do/s,
    );
    const none = await flow.onboard(['account', run, '--open', join(flow.home, 'none.csv')]);
    expect([none.exitCode, none.stderr]).toEqual([
      3,
      expect.stringContaining('no open row can be corrected'),
    ]);
  });

  test('of rows that are corrected twice at once, tells the second; a stranger, a row out of range or named twice too', async () => {
    const { flow, job, run } = await sixRows();
    const first = await corrected(flow, run, '1.csv', (text) => text.replace(',Two', 'K2,Two'));
    const second = await corrected(flow, run, '2.csv', (text) => text.replace(',Two', 'K22,Two'));
    const load = async (file: string) => (await flow.run(['--job-file', job, file])).summary;
    const both = await Promise.all(
      [first, second].map((file) => flow.onboard(['run', '--job-file', job, file])),
    );
    // One comes first; the other meets rows that are on their way, or have been sent.
    expect(
      both.map(({ stderr }) => /which has no outcome yet|none that is open for this job/.test(stderr)).sort(),
    ).toEqual([false, true]);
    expect((await accountOf(flow, run)).atService).toBe(4);

    const odd = await corrected(flow, run, '3.csv', (text) =>
      text
        .replace(',Four', 'K4,Four')
        .replace(',Six', 'K6,Six')
        .replace(`${run},4,`, '20200101-000000-abcd,4,')
        .replace(`${run},6,`, `${run},66,`),
    );
    const { source, run: other } = await load(odd);
    expect(source.notes).toEqual([
      expect.stringMatching(/these were rows of earlier runs, .* count as rows of this file: [\d, ]+\.$/),
    ]);
    const own = await accountOf(flow, other);
    expect([own.delivery, own.rows]).toEqual([other, 5]);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 4, 0, 2]);
  });

  test('has no row of another operation’s file, whatever that says of its rows', async () => {
    const { flow, run } = await sixRows();
    const job = await flow.file(
      'drafts.yaml',
      'operation: counterparty.draft\nkey: externalId\nfields: { name: details.name }\nignore: [email]\n',
    );
    const file = await corrected(flow, run, 'drafts.csv', (text) => text.replaceAll(/^,(\w+)/gm, '$1,$1'));
    const { source, outcomes } = (await flow.run(['--job-file', job, file])).summary;
    expect([outcomes.drafted, source.notes]).toEqual([
      5,
      [expect.stringContaining('none that is open for this job')],
    ]);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 1, 0, 5]);
  });

  test('of a row that a file names twice has it once, and of one that a rerun sends no correction', async () => {
    const { flow, job, run } = await sixRows();
    const twice = await corrected(flow, run, 'twice.csv', (text) => {
      const [header = '', ...lines] = text.trimEnd().split('\n');
      const two = lines.find((line) => line.startsWith(',Two')) ?? '';
      return `${[header, `K2${two}`, `K22${two}`].join('\n')}\n`;
    });
    const { summary } = await flow.run(['--job-file', job, twice]);
    expect(summary).toMatchObject({ rows: 2, outcomes: { created: 2 } });
    expect(numbers(await accountOf(flow, run))).toEqual([6, 2, 0, 4]);
    expect(numbers(await accountOf(flow, summary.run))).toEqual([1, 1, 0, 0]);
    const rerun = withSummary(await flow.onboard(['rerun', run, '--json'])).summary;
    expect(rerun).toMatchObject({ rows: 4, outcomes: { created: 2, invalid: 2 } });
    expect(numbers(await accountOf(flow, run))).toEqual([6, 4, 0, 2]);
  });

  test('has no correction of a row in doubt: its file is refused, and nothing is written off of it', async () => {
    const flow = await startFlow({ faults: ['reset-after-create=always;key=B'] });
    const job = await flow.file('job.yaml', createJob());
    const file = await flow.file('two.csv', 'externalId,details.name\nA1,One\nB2,Two\n');
    const { run } = (await flow.run(['--job-file', job, file])).summary;
    const wrong = await flow.file(
      'wrong.csv',
      `externalId,details.name,onboard_run,onboard_row\nC2,Two,${run},2\n`,
    );
    const refused = await flow.onboard(['run', '--job-file', job, wrong]);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('which is in doubt')]);
    const off = await flow.onboard(['write-off', run, '2', '--reason', 'closed']);
    expect([off.exitCode, off.stderr]).toEqual([3, expect.stringContaining('row 2 is in doubt')]);
    expect(await accountOf(flow, run)).toMatchObject({ open: 1, inDoubt: 1 });
    expect(flow.sandbox.stats().made.subclients).toBe(2);
  });

  test('of records that another file names as their rows’ keeps its own open: one note tells of all', async () => {
    const { flow, job, run } = await sixRows();
    const [header = '', ...lines] = (await flow.report({ run }, 'failed.csv')).trimEnd().split('\n');
    // Rows 3 and 5, whose own issue was another; the file's other rows had no key.
    const template = lines
      .filter((line) => line.includes('404'))
      .map((line, i) => line.replace(/^B\d,\w+/, `N${i},New`));
    const upserts = `${createJob().replace('.create', '.upsert')}ignore: [email]\n`;
    const other = await flow.file('other.yaml', upserts);
    const file = await flow.file('new.csv', [header, ...template, ''].join('\n'));
    const note = /these were rows of earlier runs, .*, so they count as rows of this file: 1, 2\.\n/;
    const checked = await flow.look(['check', '--job-file', job, file]);
    expect(checked.replaceAll(/\s+/g, ' ')).toContain('count as rows of this file: 1, 2.');
    const made = await flow.run(['--job-file', job, file]);
    expect([made.summary.outcomes, made.stderr]).toMatchObject([{ created: 2 }, expect.stringMatching(note)]);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 1, 0, 5]);
    expect(numbers(await accountOf(flow, made.summary.run))).toEqual([2, 2, 0, 0]);
    // Nor through another job, though the keys are the same.
    const same = await corrected(flow, run, 'same.csv', (text) => text.replaceAll(/^,.*\n/gm, ''));
    const upsert = await flow.run(['--job-file', other, same]);
    expect(upsert.stderr).toMatch(note);
    expect(numbers(await accountOf(flow, upsert.summary.run))).toEqual([2, 2, 0, 0]);
    const rerun = withSummary(await flow.onboard(['rerun', run, '--json'])).summary;
    expect(rerun.outcomes).toMatchObject({ skipped: 2, invalid: 3 });
  });

  test('of rows without keys has those at the service that were corrected, and no other record in their place', async () => {
    const flow = await startFlow({ faults: ['404=always'] });
    const job = await flow.file('job.yaml', 'operation: subclient.create\n');
    const rows = ['One,a@x,DEU', 'Two,b@x,FRA'];
    const file = await flow.file(
      'a.csv',
      ['details.name,details.alias,addresses.primary.country', ...rows, ''].join('\n'),
    );
    const { run } = (await flow.run(['--job-file', job, file])).summary;
    flow.sandbox.setFaults([]);
    const text = (await flow.report({ run }, 'failed.csv'))
      .replace('One,a@x', 'One,c@x')
      .replace('Two,b@x,FRA', 'New,n@x,FRA');
    const { summary } = await flow.run(['--job-file', job, await flow.file('b.csv', text)]);
    expect(summary).toMatchObject({ rows: 2, outcomes: { created: 2 } });
    expect(numbers(await accountOf(flow, summary.run))).toEqual([1, 1, 0, 0]);
    expect(numbers(await accountOf(flow, run))).toEqual([2, 1, 0, 1]);
    const rest = withSummary(await flow.onboard(['rerun', run, '--json'])).summary;
    expect(rest).toMatchObject({ rows: 1, outcomes: { created: 1 } });
    expect(await flow.look(['rerun', run])).toContain('no rows left');
    expect(numbers(await accountOf(flow, run))).toEqual([2, 2, 0, 0]);
  });

  test.each(['run', 'check'])(
    'is of at most 50 runs: a file that names more is refused by %s',
    async (command) => {
      const flow = await startFlow();
      const job = await flow.file('job.yaml', createJob());
      const line = (n: number) => `A${n},One,20200101-000000-a${String(n).padStart(3, '0')},1\n`;
      const file = (count: number) => {
        const lines = Array.from({ length: count }, (_, n) => line(n)).join('');
        return flow.file(`${count}.csv`, `externalId,details.name,onboard_run,onboard_row\n${lines}`);
      };
      const refused = await flow.onboard([command, '--job-file', job, await file(51)]);
      expect([refused.exitCode, refused.stderr]).toEqual([
        3,
        expect.stringContaining('names more than 50 runs'),
      ]);
      expect((await flow.onboard([command, '--job-file', job, await file(50)])).exitCode).toBe(0);
    },
  );

  test.each([
    ['in other files', createJob(), []],
    [
      'in the same file without a key, by --again',
      'operation: subclient.create\nignore: [externalId]\n',
      ['--again'],
    ],
  ])(
    'tells of a row that is written off whenever it comes back %s, and has it at the service then',
    async (_, definition, again) => {
      const flow = await startFlow({ faults: ['404=always'] });
      const job = await flow.file('job.yaml', definition);
      const text = 'externalId,details.name\nA1,One\nA2,Two\n';
      const { run } = (await flow.run(['--job-file', job, await flow.file('a.csv', text)])).summary;
      await flow.look(['write-off', run, '2', '--reason', 'closed']);
      const words = `keys of rows that are written off.*: 2 \\(row 2 of run ${run}\\)\\.`;
      for (const [name, account] of [
        ['One', [2, 0, 1, 1]],
        ['Uno', [2, 2, 0, 0]],
      ] as const) {
        const file = await flow.file(
          'back.csv',
          again.length > 0 ? text : text.replace('One', `${name} Ltd`),
        );
        if (again.length === 0)
          expect(
            (await flow.onboard(['check', '--job-file', job, file])).stdout.replaceAll(/\s+/g, ' '),
          ).toMatch(new RegExp(words));
        expect((await flow.run([...again, '--job-file', job, file])).stderr).toMatch(new RegExp(words));
        expect(numbers(await accountOf(flow, run))).toEqual(account);
        flow.sandbox.setFaults([]);
      }
      const last = await flow.file('last.csv', text.replace('One', 'Last'));
      expect((await flow.onboard(['run', ...again, '--job-file', job, last])).stderr).not.toContain(
        'written off',
      );
    },
  );

  test('follows a row to where it stands last: what took it there is seen by reruns, corrections and write-offs of any run', async () => {
    const flow = await startFlow({ faults: ['404=always;key=B'] });
    const job = await flow.file('job.yaml', createJob());
    const lines = ['B2,Two', 'B3,Three', 'B4,Four'];
    const file = await flow.file('three.csv', ['externalId,details.name', ...lines, ''].join('\n'));
    const { run } = (await flow.run(['--job-file', job, file])).summary;
    const rerun = withSummary(await flow.onboard(['rerun', run, '--json'])).summary;
    expect(rerun.outcomes).toMatchObject({ failed: 3 });
    flow.sandbox.setFaults([]);
    // The first run's file, though the rerun has its rows by now.
    const file2 = await corrected(flow, run, 'old.csv', (text) => text.replace(/^B[34],.*\n/gm, ''));
    const { summary } = await flow.run(['--job-file', job, file2]);
    expect(summary).toMatchObject({ rows: 1, outcomes: { created: 1 } });
    await flow.look(['write-off', run, '2', '--reason', 'closed']);
    const last = withSummary(await flow.onboard(['rerun', rerun.run, '--json'])).summary;
    expect(last).toMatchObject({ rows: 1, outcomes: { created: 1 } });
    const account = await accountOf(flow, last.run);
    expect([account.delivery, ...numbers(account)]).toEqual([run, 3, 2, 1, 0]);
    expect(flow.sandbox.stats().made.subclients).toBe(2);
  });

  test('counts a record once: not for a duplicate of its key, nor for a row that another one’s correction made', async () => {
    const flow = await startFlow({ faults: ['404=always;key=B'] });
    const job = await flow.file('job.yaml', createJob());
    const file = await flow.file('b.csv', 'externalId,details.name\nB1,One\nB1,Same\nB2,Two\n');
    const { run } = (await flow.run(['--job-file', job, file])).summary;
    flow.sandbox.setFaults([]);
    const rerun = withSummary(await flow.onboard(['rerun', run, '--only', 'failed', '--json'])).summary;
    expect(rerun.outcomes).toMatchObject({ created: 2 });
    expect(numbers(await accountOf(flow, run))).toEqual([3, 2, 0, 1]);
    const open = join(flow.home, 'open.csv');
    await flow.look(['account', run, '--open', open]);
    expect((await flow.run(['--job-file', job, open])).summary.outcomes).toMatchObject({ skipped: 1 });
    expect(numbers(await accountOf(flow, run))).toEqual([3, 2, 0, 1]);
  });

  test('of a job with groups has the rows open that a correction left out, and no rerun sends them as a whole group', async () => {
    const flow = await startFlow({ faults: ['404=always'] });
    const job = await flow.file(
      'g.yaml',
      'operation: counterparty.draft\nkey: externalId\ngroup: accounts\n',
    );
    const rows = ['P1,One,11', 'P1,,12', 'P1,,13'];
    const header = 'externalId,name,accounts.0.accountNumber';
    const file = await flow.file('g.csv', [header, ...rows, ''].join('\n'));
    const { summary } = await flow.run(['--job-file', job, file]);
    expect(summary.outcomes).toMatchObject({ failed: 3 });
    flow.sandbox.setFaults([]);
    const text = await flow.report(summary, 'failed.csv');
    const part = await flow.file('part.csv', text.replace(/^P1,,13.*\n/m, ''));
    expect((await flow.run(['--job-file', job, part])).summary.outcomes).toMatchObject({ drafted: 2 });
    expect(numbers(await accountOf(flow, summary.run))).toEqual([3, 2, 0, 1]);
    expect(await flow.look(['rerun', summary.run])).toContain('no rows left');
    const open = join(flow.home, 'open.csv');
    await flow.look(['account', summary.run, '--open', open]);
    expect((await flow.run(['--job-file', job, open])).summary.outcomes).toMatchObject({ skipped: 1 });
    expect(numbers(await accountOf(flow, summary.run))).toEqual([3, 2, 0, 1]);
  });

  test.each([
    ['bad.csv', 'externalId,details.name\nA1,One\nB2,Two,Three\n', 'failed.csv'],
    ['bad.ndjson', '{"externalId":"A1","details":{"name":"One"}}\n{"externalId":"B2"\n', 'failed.ndjson'],
  ])('has an unreadable row of %s once, where a correction has it as it was', async (name, text, failed) => {
    const flow = await startFlow();
    const job = await flow.file('job.yaml', createJob());
    const { run } = (await flow.run(['--job-file', job, await flow.file(name, text)])).summary;
    const same = await flow.file(`again-${failed}`, await flow.report({ run }, failed));
    const { summary } = await flow.run(['--job-file', job, same]);
    expect(summary).toMatchObject({ rows: 1, outcomes: { invalid: 1 } });
    const account = await accountOf(flow, summary.run);
    expect([account.delivery, ...numbers(account)]).toEqual([run, 2, 1, 0, 1]);
  });

  test('of rows with keys is right without a word of the file: a later file that creates the key closes the row', async () => {
    const { flow, job, run } = await sixRows();
    const file = await flow.file('later.csv', 'externalId,details.name\nB3,Three\nC1,New\n');
    const later = (await flow.run(['--job-file', job, file])).summary;
    expect(later.outcomes).toMatchObject({ created: 2 });
    expect(numbers(await accountOf(flow, run))).toEqual([6, 2, 0, 4]);
    expect(numbers(await accountOf(flow, later.run))).toEqual([2, 2, 0, 0]);
  });

  test('has causes in its next file’s report that are marked where this one had them not, whatever a correction had', async () => {
    const { flow, job, run } = await sixRows();
    const doubled = await corrected(flow, run, '1.csv', (text) => text.replaceAll(/^,(Two|Four)/gm, 'K2,$1'));
    const correction = (await flow.run(['--job-file', job, doubled])).summary;
    expect(correction.outcomes).toMatchObject({ invalid: 2 });
    // Beside the run that its rows come from, which had no key twice.
    const marked = await flow.report(correction, 'report.html');
    expect(marked.match(/new since the last run/g)).toHaveLength(1);
    const fixed = await corrected(flow, correction.run, '2.csv', (text) =>
      text.replaceAll(/^(?:K2)?,(\w+)/gm, '$1,$1'),
    );
    expect((await flow.run(['--job-file', job, fixed])).summary.outcomes).toMatchObject({ invalid: 0 });
    const header = FILE.slice(0, FILE.indexOf('\n'));
    const next = await flow.file('next.csv', `${header}\n,Seven,\nC8,Eight,\nC8,Nine,\n`);
    const { summary } = await flow.run(['--job-file', job, next]);
    const html = await flow.report(summary, 'report.html');
    expect(html.match(/new since the last run/g)).toHaveLength(1);
    expect(await flow.report({ run }, 'report.html')).not.toContain('new since');
  });
});
