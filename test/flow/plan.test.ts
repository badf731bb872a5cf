import { expect, test } from 'vitest';
import type { Summary } from '../../src/runs/report/summary.ts';
import { startFlow, withSummary } from '../support/flow.ts';
import { makeOld } from '../support/old-runs.ts';

const PORTFOLIO = [
  'operation: subclient.upsert',
  'key: externalId',
  'delivery: full',
  'unusual: warn',
  'fields:',
  '  details.name: name',
  '  addresses.primary.town: town',
  '',
].join('\n');
const rows = (...lines: readonly string[]) => ['externalId,name,town', ...lines, ''].join('\n');

/** What a file that comes after that run is told against. */
const againstWords = ({ run, createdAt }: Summary) =>
  `against the delivery of ${createdAt.slice(0, 10)} (run ${run})`;

const FIRST = rows('S1,Ada,Bern', 'S2,Ben,Ulm', 'S3,Cy,Graz', 'S4,Di,Linz');
const SECOND = rows('S1,Ada,Bern', 'S2,Bob,Ulm', 'S3,Cyd,Wien', 'S5,Ed,Rom');

test('the check begins with what is new, changed, as it was and gone; the run does just that', async () => {
  const flow = await startFlow();
  const job = (text = PORTFOLIO) => flow.file('portfolio.yaml', text);
  const first = await flow.load(await job(), FIRST);
  const checked = async (...args: readonly string[]) =>
    flow.onboard(['check', '--job-file', await job(), await flow.file('next.csv', SECOND), ...args]);

  const { plan } = JSON.parse((await checked('--json')).stdout);
  expect(plan).toEqual({
    against: { run: first.summary.run, at: first.summary.createdAt, isSameDefinition: true },
    new: 1,
    changed: 2,
    unchanged: 1,
    notSent: 0,
    notKnown: 0,
    gone: 1,
    repeated: 0,
    fields: { 'details.name': 2, 'addresses.primary.town': 1 },
  });
  const { stdout } = await checked('--list', 'gone');
  expect(stdout).toContain(againstWords(first.summary));
  for (const words of ['1 new, 2 changed, 1 unchanged, 1 gone', 'in details.name 2', '"S4"'])
    expect(stdout).toContain(words);
  expect((await checked('--list', 'changed')).stdout).toContain('row 2, "S2": details.name');

  const second = await flow.load(await job(), SECOND);
  expect(second.summary.outcomes).toMatchObject({ created: 1, updated: 2, skipped: 1 });
  // Nothing is done about what is gone.
  expect(flow.sandbox.stats().made.subclients).toBe(5);

  const changed = await job(`${PORTFOLIO}emptyCell: null\n`);
  const again = await flow.onboard(['check', '--job-file', changed, await flow.file('next.csv', SECOND)]);
  expect(again.stdout).toContain('the job definition has changed since');
});

test('of a file that was loaded by a wrong mapping the check foretells what --again does, and has no plan file', async () => {
  const flow = await startFlow();
  const swapped = PORTFOLIO.replace('name: name', 'name: town').replace('town: town', 'town: name');
  const job = (text: string) => flow.file('portfolio.yaml', text);
  const file = await flow.file('first.csv', FIRST);
  await flow.run(['--job-file', await job(swapped), file]);
  const right = ['--job-file', await job(PORTFOLIO), file];

  const { stdout } = await flow.onboard(['check', ...right, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ sendable: 4, skipped: 0, plan: { changed: 4, notSent: 0 } });
  expect((await flow.onboard(['check', ...right])).stdout).toMatch(/To send what can be sent: .* --again/);
  const kept = await flow.onboard(['check', ...right, '--out', 'plan.json']);
  expect([kept.exitCode, kept.stderr]).toEqual([3, expect.stringContaining('no run yet')]);
  expect((await flow.run([...right, '--again'])).summary.outcomes).toMatchObject({ updated: 4 });
});

test('a job that creates alone says what differs and is not sent, and names it', async () => {
  const flow = await startFlow();
  const drafts = [
    'operation: counterparty.draft',
    'key: externalId',
    'fields: { name: name, accounts.0.accountNumber: town }',
    '',
  ].join('\n');
  const definition = await flow.file('payees.yaml', drafts);
  await flow.load(definition, FIRST);
  const file = await flow.file('next.csv', SECOND);
  const { stdout } = await flow.onboard(['check', '--job-file', definition, file, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({
    plan: { new: 1, changed: 0, unchanged: 1, notSent: 2, notKnown: 0, gone: null, fields: { accounts: 1 } },
    warnings: expect.arrayContaining([
      expect.objectContaining({ code: 'changed_not_sent', count: 1 }),
      expect.objectContaining({ code: 'account_changed', count: 1 }),
    ]),
  });
  const listed = await flow.onboard(['check', '--job-file', definition, file, '--list', 'notSent']);
  for (const words of ['row 2, "S2"', 'row 3, "S3": accounts', '1 × changed_not_sent; for example'])
    expect(listed.stdout).toContain(words);

  // Until the job's next file it needs somebody's attention.
  const DIFFERING = '2 rows of known records not sent: other content, or not known';
  await flow.load(definition, SECOND);
  expect(await flow.look(['status'])).toContain(DIFFERING);
  await flow.load(definition, rows('S1,Ada,Bern'));
  expect(await flow.look(['status'])).not.toContain(DIFFERING);
  const gone = await flow.onboard(['check', '--job-file', definition, file, '--list', 'gone']);
  expect([gone.exitCode, gone.stderr]).toEqual([3, expect.stringContaining('`delivery: full`')]);
});

test('gone is each record of the last file that is at the service by now, whatever brought it there', async () => {
  const flow = await startFlow({ faults: ['reset-after-create=always;key=Cy'] });
  const text = [
    'operation: counterparty.draft',
    'key: externalId',
    'group: accounts',
    'delivery: full',
    'unusual: off',
    'checks: { accounts: off }',
    'fields: { name: name, email: email, accounts.0.accountNumber: account }',
    '',
  ].join('\n');
  const job = await flow.file('payees.yaml', text);
  const csv = (...lines: readonly string[]) => ['externalId,name,email,account', ...lines, ''].join('\n');
  const first = await flow.load(job, csv('P1,Ada,,1', 'P1,Ada,,2', 'P3,Cy,,4'));
  expect(first.summary.outcomes).toMatchObject({ drafted: 2, 'in-doubt': 1 });
  flow.sandbox.setFaults([]);
  const last = await flow.load(
    job,
    csv('P1,Ada,,1', 'P1,Ada,,2', 'P2,Ben,broken,3', 'P3,Cy,,4', 'P4,Di,broken,5'),
  );
  expect(last.summary.outcomes).toMatchObject({ skipped: 2, rejected: 2, invalid: 1 });
  const rejected = await flow.report(last.summary, 'rejected.csv');
  expect((await flow.load(job, rejected.replace('broken', ''))).summary.outcomes.drafted).toBe(1);
  const [found] = [...flow.sandbox.entities('draft')].filter(({ key }) => key === 'Cy');
  await flow.look(['resolve', first.summary.run, '3', '--created', found?.id ?? '']);

  const next = await flow.file('next.csv', csv('P9,Flo,,9'));
  const { stdout } = await flow.onboard(['check', '--job-file', job, next, '--list', 'gone', '--json']);
  const { gone, listed } = JSON.parse(stdout).plan;
  expect(gone).toBe(3);
  expect(listed).toMatchObject([{ key: 'P1' }, { key: 'P2' }, { key: 'P3' }]);
});

test('a correction is no delivery, and what is in doubt or was loaded by this very file is not called unchanged', async () => {
  const flow = await startFlow();
  const job = await flow.file('portfolio.yaml', `${PORTFOLIO}required: [addresses.primary.town]\n`);
  const first = await flow.load(job, rows('S1,Ada,Bern', 'S2,Ben,', 'S3,Cy,Graz'));
  const failed = (await flow.report(first.summary, 'failed.csv')).replace('S2,Ben,', 'S2,Ben,Ulm');
  const corrected = await flow.run(
    [job, await flow.file('corrected.csv', failed)].toSpliced(0, 0, '--job-file'),
  );
  expect(corrected.summary.outcomes).toMatchObject({ created: 1 });

  // It has what was open alone, and nothing is gone for that.
  const again = await flow.file('twice.csv', `${failed}\n`);
  const told = JSON.parse((await flow.onboard(['check', '--job-file', job, again, '--json'])).stdout).plan;
  expect(told).toMatchObject({ against: null, gone: null });

  flow.sandbox.setFaults(['reset-after-create=always']);
  const text = rows('S1,Ada,Bern', 'S4,Di,Linz');
  const doubted = await flow.load(job, text);
  expect(doubted.summary.outcomes).toMatchObject({ skipped: 1, 'in-doubt': 1 });
  const planOf = async (csv: string) => {
    const file = await flow.file('again.csv', csv);
    return JSON.parse((await flow.onboard(['check', '--job-file', job, file, '--json'])).stdout).plan;
  };
  expect(await planOf(text)).toMatchObject({ unchanged: 1, notKnown: 0, new: 0 });
  flow.sandbox.setFaults([]);

  // Of the delivery before, not of its correction: S1 is here, S3 and S4 are not.
  const last = await planOf(rows('S1,Ada,Bern', 'S2,Ben,Ulm'));
  expect(last).toMatchObject({ against: { run: doubted.summary.run }, unchanged: 2 });
  await flow.load(job, rows('S1,Ada,Bern', 'S3,Cy,Wien'));
  // Another file has changed what this very one had sent: loaded anew it changes that back.
  expect(await planOf(rows('S1,Ada,Bern', 'S2,Ben,', 'S3,Cy,Graz'))).toMatchObject({
    changed: 1,
    notSent: 0,
  });
});

test('a run keeps to the delivery before it: its summary, page and last words name that one, whatever comes later', async () => {
  const flow = await startFlow();
  const job = await flow.file('portfolio.yaml', `${PORTFOLIO}required: [addresses.primary.town]\n`);
  const first = (await flow.load(job, rows('S1,Ada,Bern', 'S2,Ben,'))).summary;
  expect(first.against).toBeNull();
  expect(await flow.report(first, 'report.html')).not.toContain('against the delivery');
  const failed = (await flow.report(first, 'failed.csv')).replace('S2,Ben,', 'S2,Ben,Ulm');
  const correction = await flow.run(['--job-file', job, await flow.file('corrected.csv', failed)]);
  expect(correction.summary).toMatchObject({ against: null, outcomes: { created: 1 } });

  const second = (await flow.load(job, rows('S1,Ada,Bern', 'S4,Di,'))).summary;
  const against = { run: first.run, at: first.createdAt };
  expect(second).toMatchObject({ against, outcomes: { skipped: 1, invalid: 1 } });
  const rerun = withSummary(await flow.onboard(['rerun', second.run, '--json'])).summary;
  expect([rerun.parent, rerun.against]).toEqual([second.run, null]);

  const third = (await flow.load(job, rows('S1,Ada,Bern', 'S4,Di,Linz'))).summary;
  expect(third.against).toEqual({ run: second.run, at: second.createdAt });
  await makeOld(flow, first.run);
  await flow.look(['purge', '--run', first.run]);
  const { stdout } = await flow.onboard(['report', second.run]);
  expect(stdout).toMatch(/^ {2}rows 2 = .*\n {2}against the delivery of /m);
  for (const text of [
    stdout,
    await flow.look(['status', second.run]),
    await flow.report(second, 'report.html'),
  ])
    expect(text).toContain(againstWords(first));
  expect(JSON.parse(await flow.report(second, 'summary.json')).against).toEqual(against);
});
