import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { accountSchema } from '../../src/model/account.ts';
import { createJob, type Flow, startFlow, withSummary } from '../support/flow.ts';

const toldSchema = accountSchema.extend({
  openRows: z.array(z.looseObject({ run: z.string(), row: z.number() })),
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

describe('the account of a file', () => {
  test('has every row that a rerun of some left, until it is corrected from a file or written off', async () => {
    const { flow, job, run } = await sixRows();
    expect(numbers(await accountOf(flow, run))).toEqual([6, 1, 0, 5]);
    const rerun = withSummary(await flow.onboard(['rerun', run, '--only', 'failed', '--json'])).summary;
    expect(rerun.outcomes).toMatchObject({ created: 2 });
    const after = await accountOf(flow, rerun.run);
    expect([after.delivery, ...numbers(after)]).toEqual([run, 6, 3, 0, 3]);
    expect(after.openRows.map(({ row }) => row)).toEqual([2, 4, 6]);

    const open = join(flow.home, 'open.csv');
    await flow.look(['account', run, '--open', open]);
    const lines = (await readFile(open, 'utf8')).trim().split('\n');
    expect(lines).toHaveLength(4);
    const [header = '', two = ''] = lines;
    const file = await flow.file('two.csv', `${header}\n${two.replace(',Two', 'K2,Two')}\n`);
    const correction = (await flow.run(['--job-file', job, file])).summary;
    expect(correction.outcomes).toMatchObject({ created: 1 });
    const last = await accountOf(flow, correction.run);
    expect([last.delivery, ...numbers(last)]).toEqual([run, 6, 4, 0, 2]);
    expect(last.runs).toEqual([run, rerun.run, correction.run]);

    const refused = await flow.onboard(['write-off', run, '1', '--reason', 'closed']);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('row 1 of run')]);
    await flow.look(['write-off', run, '4', '--reason', 'closed']);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 4, 1, 1]);
    await flow.look(['write-off', run, '--only', 'invalid', '--reason', 'never came']);
    expect(numbers(await accountOf(flow, run))).toEqual([6, 4, 2, 0]);
    expect(await flow.look(['status'])).toContain('Nothing needs attention');
  });

  test('of rows that are corrected twice, tells the second; a stranger, another target, a row out of range too', async () => {
    const { flow, job, run } = await sixRows();
    const first = await corrected(flow, run, '1.csv', (text) => text.replace(',Two', 'K2,Two'));
    const second = await corrected(flow, run, '2.csv', (text) =>
      text.replace(',Two', 'K22,Two').replace(`,${run},4,`, `,${run},44,`),
    );
    const stranger = await corrected(flow, run, '3.csv', (text) =>
      text.replace(',Four', 'K4,Four').replaceAll(run, '20200101-000000-abcd'),
    );
    const [one, two, three] = await Promise.all(
      [first, second, stranger].map(async (file) => (await flow.run(['--job-file', job, file])).summary),
    );
    const notes = [one, two, three].map((summary) => summary?.source.notes ?? []);
    expect(notes.flat().join('\n')).toContain('name no run of');
    const all = await accountOf(flow, run);
    expect(all.rows).toBe(6);
    const own = await Promise.all([two, three].map(async (summary) => accountOf(flow, summary?.run ?? '')));
    for (const account of own) expect(account.holds).toBe(true);
  });

  test('of rows with keys is right without a word of the file: a later file that creates the key closes the row', async () => {
    const { flow, job, run } = await sixRows();
    const file = await flow.file('later.csv', 'externalId,details.name\nB3,Three\nC1,New\n');
    const later = (await flow.run(['--job-file', job, file])).summary;
    expect(later.outcomes).toMatchObject({ created: 2 });
    expect(numbers(await accountOf(flow, run))).toEqual([6, 2, 0, 4]);
    expect(numbers(await accountOf(flow, later.run))).toEqual([2, 2, 0, 0]);
  });
});
