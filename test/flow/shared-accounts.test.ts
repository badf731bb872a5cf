import { expect, test } from 'vitest';
import { type Flow, startFlow, withSummary } from '../support/flow.ts';
import { makeOld } from '../support/old-runs.ts';
import { fromElsewhere, newestRun, statusOf, summaryFrom } from '../support/run-control.ts';
import { newKey } from '../support/sealing.ts';
import { setRecord, storedRun } from '../support/stored.ts';
import { until } from '../support/until.ts';

const JOB = [
  'operation: counterparty.draft',
  'key: externalId',
  'unusual: off',
  'delivery: full',
  'guard: { accounts: hold }',
  'checks: { accounts: off }',
  'fields:',
  '  name: name',
  '  accounts.0.accountNumber: account',
  '',
].join('\n');
const GROUPED = JOB.replace('key: externalId', 'key: externalId\ngroup: accounts');
const csv = (...lines: readonly string[]) => ['externalId,name,account', ...lines, ''].join('\n');

const drafts = (flow: Flow) => flow.sandbox.stats().made.drafts;

async function deliver(flow: Flow, ...lines: readonly string[]) {
  const { summary } = await flow.load(JOB, csv(...lines));
  return { run: summary.run, summary, rows: await endsOf(flow, summary) };
}

async function endsOf(flow: Flow, summary: Parameters<Flow['results']>[0]): Promise<string[]> {
  const results = await flow.results(summary);
  return results.map(({ outcome, code, message = '' }) => {
    const warned = /warning: (\S+)/.exec(message)?.[1];
    return [outcome, code, warned].filter((word) => word !== '' && word !== undefined).join(' ');
  });
}

test('payees whose keys were renamed are told before and after they are drafted once more', async () => {
  const flow = await startFlow();
  const first = await deliver(flow, 'K-1,Ada Ltd.,111', 'K-2,Ben GmbH,222', 'K-3,Cy,333');
  const job = await flow.file('job.yaml', JOB);
  const file = await flow.file(
    'renamed.csv',
    csv('KX-1,ADA limited,111', 'KX-2,Ben,222', 'K-3,Cy,333', 'K-4,Di,444'),
  );
  const checked = await flow.onboard(['check', '--job-file', job, file, '--list', 'repeated']);
  for (const words of [
    '3 new, 1 unchanged',
    '2 of the new have the account and the name of a payee under another key: were their keys renamed?',
    'row 1, "KX-1"',
    `row 1 of run ${first.run} has this account and this name under another key`,
  ])
    expect(checked.stdout).toContain(words);
  expect(checked.exitCode).toBe(0);

  const { rows } = await deliver(flow, 'KX-1,ADA limited,111', 'KX-2,Ben,222', 'K-3,Cy,333', 'K-4,Di,444');
  expect(rows).toEqual(['drafted payee_repeated', 'drafted payee_repeated', 'skipped key_known', 'drafted']);
});

test('an account of another payee holds a row until somebody says that several may have it', async () => {
  const flow = await startFlow();
  const first = await deliver(flow, 'P1,Ada,111', 'P2,Ben,222');
  const { run, summary, rows } = await deliver(
    flow,
    'P3,Cy,111',
    'P4,Di,111',
    'P2,Ben,999',
    'P5,Ed,555',
    'P6,Flo,555',
  );
  expect(rows).toEqual([
    'invalid account_shared',
    'invalid account_shared',
    'invalid account_changed',
    'drafted',
    'drafted account_shared',
  ]);
  const report = await flow.look(['report', run]);
  expect(report).toContain(`onboard release ${run} ROWS`);
  const [heldRow] = await flow.results(summary);
  expect(heldRow?.message).toBe(`row 1 of run ${first.run} has this account under another name`);
  expect(report).not.toContain('555');

  const release = (...args: readonly string[]) =>
    flow.onboard(['release', run, ...args, '--reason', 'a factoring firm']);
  for (const [row, words] of [
    ['3', '--changed-at-service'],
    ['4', 'expected a row that it held'],
    ['17', 'expected a row that it held'],
  ] as const) {
    const refused = await release(row);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining(words)]);
  }
  const held = withSummary(await flow.onboard(['rerun', run, '--json']));
  expect(held.summary.outcomes.invalid).toBe(3);

  const released = await release('1');
  expect([released.exitCode, released.stdout]).toEqual([0, expect.stringContaining('1 account')]);
  const again = withSummary(await flow.onboard(['rerun', held.summary.run, '--json']));
  expect(await endsOf(flow, again.summary)).toEqual(['drafted', 'drafted', 'invalid account_changed']);
  expect((await deliver(flow, 'P7,Guy,111')).rows).toEqual(['drafted']);
  expect((await release('1', '--revoke')).exitCode).toBe(0);
  expect((await deliver(flow, 'P8,Hal,111')).rows).toEqual(['invalid account_shared']);
  const audit = await flow.look(['audit']);
  for (const words of ['released', 'release-revoked', 'a factoring firm']) expect(audit).toContain(words);
  // Runs and times have such digits, too.
  expect(audit).not.toMatch(/\b111\b/);
});

test('rows that were sent beside others of their file go on so as corrections and reruns', async () => {
  const flow = await startFlow();
  const job = `${JOB}  email: email\n`;
  const header = 'externalId,name,account,email';
  const rows = ['P1,Ada,111,', 'P2,Ben,111,', 'P3,Cy,111,broken', 'P4,Di,111,broken'];
  const { summary } = await flow.load(job, [header, ...rows, ''].join('\n'));
  expect(summary.outcomes).toMatchObject({ drafted: 2, rejected: 2 });
  const again = withSummary(await flow.onboard(['rerun', summary.run, '--json']));
  expect(again.summary.outcomes).toMatchObject({ rejected: 2, invalid: 0 });

  const mended = (await flow.report(again.summary, 'rejected.csv')).replaceAll('broken', '');
  const definition = await flow.file('mended.yaml', job);
  const checked = await flow.onboard([
    'check',
    '--job-file',
    definition,
    await flow.file('mended.csv', mended),
  ]);
  expect(checked.stdout).toContain('2 rows, all can be sent');
  const { summary: sent } = await flow.load(job, mended);
  expect(sent.outcomes).toMatchObject({ drafted: 2, invalid: 0 });
});

test('the account of a row that the service refused is free for others', async () => {
  const flow = await startFlow();
  const job = `${JOB}  email: email\n`;
  const header = 'externalId,name,account,email';
  await flow.load(job, [header, 'P1,Ada,111,broken', ''].join('\n'));
  const { summary } = await flow.load(job, [header, 'P2,Ben,111,', ''].join('\n'));
  expect(await endsOf(flow, summary)).toEqual(['drafted']);
});

const MAILED = `${JOB}  email: email\n`;
const mailed = (...lines: readonly string[]) => ['externalId,name,account,email', ...lines, ''].join('\n');

test('a payee that was sent has the account, whatever became of an earlier row with it', async () => {
  const flow = await startFlow();
  const first = await flow.load(
    MAILED,
    mailed('P1,Ada,111,broken', 'P2,Ben,111,', 'P3,Cy,333,broken', 'P4,Cy,333,'),
  );
  expect(first.summary.outcomes).toMatchObject({ drafted: 2, rejected: 2 });
  const stranger = await flow.load(MAILED, mailed('P9,Eve,111,'));
  expect(await endsOf(flow, stranger.summary)).toEqual(['invalid account_shared']);
  const mended = (await flow.report(first.summary, 'rejected.csv')).replaceAll('broken', '');
  const again = await flow.load(MAILED, mended);
  expect(await endsOf(flow, again.summary)).toEqual(['drafted account_shared', 'drafted payee_repeated']);
});

test('rows without a key name no account', async () => {
  const flow = await startFlow();
  const first = await deliver(flow, ',Ada,111', ',Ben,222', 'P3,Cy,333');
  expect(first.rows).toEqual(['invalid empty_key', 'invalid empty_key', 'drafted']);
  expect((await deliver(flow, 'P1,Ada,111', 'P2,Benn,222')).rows).toEqual(['drafted', 'drafted']);
});

test('a new row beside corrected ones is no correction', async () => {
  const flow = await startFlow();
  const { summary } = await flow.load(MAILED, mailed('P1,Ada,111,', 'P2,Ben,111,broken'));
  const rejected = (await flow.report(summary, 'rejected.csv')).replaceAll('broken', '');
  const columns = rejected.split('\n')[0]?.split(',') ?? [];
  const fresh = columns
    .map((name) => ({ externalId: 'P9', name: 'Eve', account: '111' })[name.trim()] ?? '')
    .join(',');
  const file = `${rejected.trimEnd()}\n${fresh}\n`;
  const job = await flow.file('mended.yaml', MAILED);
  const checked = await flow.onboard(['check', '--job-file', job, await flow.file('mended.csv', file)]);
  expect(checked.stdout).toContain('2 rows, 1 would be invalid');
  const { summary: sent } = await flow.load(MAILED, file);
  expect(await endsOf(flow, sent)).toEqual(['drafted account_shared', 'invalid account_shared']);
});

test('what is released is the account that another payee has, and no other of the row', async () => {
  const flow = await startFlow();
  const job = `${JOB}  accounts.1.accountNumber: second\n`;
  const lines = (...rows: readonly string[]) => ['externalId,name,account,second', ...rows, ''].join('\n');
  await flow.load(job, lines('P1,Ada,111,'));
  const { summary } = await flow.load(job, lines('P2,Ben,222,111'));
  const release = (...args: readonly string[]) =>
    flow.onboard(['release', summary.run, '1', ...args, '--reason', 'asked']);
  expect((await release('--revoke')).stdout).toContain('Nobody had released them');
  expect((await release()).stdout).toContain('Several payees may have 1 account from now on');
  expect((await release()).stdout).toContain('That was said before');
  const again = withSummary(await flow.onboard(['rerun', summary.run, '--json']));
  expect(again.summary.outcomes.drafted).toBe(1);
  const stranger = await flow.load(job, lines('P9,Eve,222,', 'P10,Flo,111,'));
  expect(await endsOf(flow, stranger.summary)).toEqual(['invalid account_shared', 'drafted']);
});

test('a row that is written off is released no more, and what was released for it can be taken back', async () => {
  const flow = await startFlow();
  await deliver(flow, 'P1,Ada,111');
  const { run } = await deliver(flow, 'P2,Ben,111', 'P3,Cy,111', 'P4,Di,111');
  const { summary } = withSummary(await flow.onboard(['rerun', run, '--json']));
  await flow.look(['write-off', run, '1', '--reason', 'a swindler']);
  const release = (of: string, ...args: readonly string[]) =>
    flow.onboard(['release', of, ...args, '--reason', 'asked']);
  for (const of of [run, summary.run]) {
    const { exitCode, stderr } = await release(of, '2', '1');
    expect(exitCode).toBe(3);
    for (const words of [
      `row 1 of run ${of} is written off`,
      'load it in another file',
      'Nothing was released',
    ])
      expect(stderr).toContain(words);
  }
  expect((await deliver(flow, 'P5,Ed,111')).rows).toEqual(['invalid account_shared']);
  expect((await release(run, '2')).exitCode).toBe(0);
  await flow.look(['write-off', run, '2', '--reason', 'another one']);
  expect((await release(run, '2', '--revoke')).stdout).toContain('1 account taken back');
});

test('where the job asks for two persons, who loaded the rows is told to have them released', async () => {
  const flow = await startFlow();
  const job = `${JOB}approval: required\n`;
  const definition = await flow.file('job.yaml', job);
  const load = async (...lines: readonly string[]) => {
    await flow.onboard(['run', '--job-file', definition, await flow.file(`${lines}.csv`, csv(...lines))]);
    const run = await newestRun(flow);
    const { registeredBy = '' } = await statusOf(flow, run);
    const { redis } = await fromElsewhere(flow, run);
    await flow.onboard(['approve', run]);
    return {
      run,
      ofOwn: async () => setRecord(redis, await storedRun(redis, run), { registeredBy: registeredBy ?? '' }),
    };
  };
  await load('P1,Ada,111');
  const { run, ofOwn } = await load('P2,Ben,111');
  await ofOwn();
  const release = () => flow.onboard(['release', run, '1', '--reason', 'asked']);
  const own = await release();
  expect([own.exitCode, own.stderr]).toEqual([3, expect.stringContaining('look at it and release its rows')]);
  await fromElsewhere(flow, run);
  expect((await release()).exitCode).toBe(0);
});

test('a row that a later run held is released by its number in the first file, too', async () => {
  const flow = await startFlow();
  await deliver(flow, 'P1,Ada,111');
  const { run } = await deliver(flow, 'P2,Ben,222', 'P3,Cy,111');
  const { summary } = withSummary(await flow.onboard(['rerun', run, '--json']));
  const released = await flow.onboard(['release', run, '2', '--reason', 'asked']);
  expect(released.stdout).toContain(`onboard rerun ${summary.run} --only invalid`);
  const sent = withSummary(await flow.onboard(['rerun', summary.run, '--json']));
  expect(sent.summary.outcomes.drafted).toBe(1);
});

test('rows of a group are held together, and released by one of them', async () => {
  const flow = await startFlow();
  await flow.load(GROUPED, csv('P1,Ada,111'));
  const { summary } = await flow.load(GROUPED, csv('P2,Ben,222', 'P2,Ben,111'));
  expect(await endsOf(flow, summary)).toEqual(['invalid account_shared', 'invalid account_shared']);
  expect((await flow.onboard(['release', summary.run, '2', '--reason', 'asked'])).exitCode).toBe(0);
  const { summary: sent } = withSummary(await flow.onboard(['rerun', summary.run, '--json']));
  expect(sent.outcomes.drafted).toBe(2);
});

test('killed in the middle, every draft’s account is known, and those of rows in doubt, too', async () => {
  const flow = await startFlow({ redis: 'embedded', faults: ['latency=20ms'] });
  const rows = Array.from({ length: 300 }, (_, i) => ({
    key: `P${i}`,
    name: `Payee ${i}`,
    account: `${7000 + i}`,
  }));
  const job = await flow.file('job.yaml', JOB);
  const file = await flow.file(
    'a.csv',
    csv(...rows.map(({ key, name, account }) => `${key},${name},${account}`)),
  );
  const killed = flow.start(['run', '--job-file', job, file]);
  await until(() => drafts(flow) > 120);
  killed.child.kill('SIGKILL');
  await killed.ended;
  flow.sandbox.setFaults([]);
  // Its own rows are in nobody's way.
  const checked = await flow.onboard(['check', '--job-file', job, file]);
  expect(checked.stdout).not.toMatch(/renamed|payee_repeated|account_shared/);
  const { summary } = await summaryFrom(flow, ['resume', await newestRun(flow)]);
  const { drafted, 'in-doubt': inDoubt } = summary.outcomes;
  expect(drafted + inDoubt).toBe(300);

  const sent = drafts(flow);
  const next = await deliver(flow, ...rows.map(({ account }, i) => `N${i},Another ${i},${account}`));
  expect(new Set(next.rows)).toEqual(new Set(['invalid account_shared']));
  expect(drafts(flow)).toBe(sent);
});

test.each(['warn', 'off'])('where the guard is %s, nothing is held', async (guard) => {
  const flow = await startFlow();
  const job = JOB.replace('hold', guard);
  await flow.load(job, csv('P1,Ada,111'));
  const { summary } = await flow.load(job, csv('P1,Ada,111', 'P2,Ben,111', 'P3,Ada,111'));
  const warned =
    guard === 'warn' ? ['drafted account_shared', 'drafted payee_repeated'] : ['drafted', 'drafted'];
  expect(await endsOf(flow, summary)).toEqual(['skipped key_known', ...warned]);
});

test.each([
  ['in clear: nothing', '', 'drafted'],
  ['sealed: who has which account', newKey(), 'invalid account_shared'],
])('is known of accounts after a purge %s', async (_, key, then) => {
  const flow = await startFlow({ env: { ONBOARD_ENCRYPTION_KEY: key } });
  const { run } = await deliver(flow, 'P1,Ada,111', 'P2,Ben,222');
  await makeOld(flow, run);
  await flow.look(['purge', '--run', run]);
  expect((await deliver(flow, 'P3,Cy,111', 'P2,Ben,222')).rows).toEqual([
    then,
    expect.stringMatching(/^skipped/),
  ]);
});
