import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Summary } from '../../src/runs/report/summary.ts';
import { type Flow, startFlow, withSummary } from '../support/flow.ts';
import { makeOld } from '../support/old-runs.ts';
import { fromElsewhere, newestRun, statusOf } from '../support/run-control.ts';
import { newKey } from '../support/sealing.ts';
import { setRecord, storedRun } from '../support/stored.ts';

const payees = (settings = '') =>
  [
    'operation: counterparty.draft',
    'key: externalId',
    ...(settings === '' ? [] : [settings]),
    'fields:',
    '  name: name',
    '  accounts.0.accountNumber: account',
    '  accounts.0.bankCode: bank',
    '',
  ].join('\n');
const HELD = payees('guard: { accounts: hold }');
const rows = (...lines: readonly string[]) => ['externalId,name,account,bank', ...lines, ''].join('\n');

/** Outcome, code and message of each row, the run's name left out of it. */
async function told(flow: Flow, summary: Summary) {
  const results = await flow.results(summary);
  return results.map(({ outcome, code, message = '' }) => {
    return [outcome, code, message.replaceAll(/run \S+?(?=[ ;]|$)/g, 'run R')];
  });
}

const SAME = 'already created by run R with this content';
const OTHER = 'already created by run R with other content, and this was not sent';
const HELD_WORDS = 'the row has another account than is known of the record that run R created';
const NOT_KNOWN = 'already created by run R; its content is not known';

describe('a payee that is known', () => {
  test('is compared with what it was drafted with: another account is held, the rest is told', async () => {
    const flow = await startFlow();
    await flow.load(HELD, rows('P1,Ada,111,370', 'P2,Ben,222,370', 'P3,Cy,333,370', 'P4,Di,444,370'));
    const made = flow.sandbox.stats().made.drafts;

    // The columns stand in another order.
    const lines = ['account,bank,externalId,name', '111,370,P1,Ada', '222,370,P2,Bob', '7700339,370,P3,Cy'];
    const second = await flow.load(HELD, [...lines, '0444,371,P4,Di', '555,370,P5,Ed', ''].join('\n'));
    expect([second.exitCode, flow.sandbox.stats().made.drafts]).toEqual([1, made + 1]);
    expect(await told(flow, second.summary)).toEqual([
      ['skipped', 'key_known', SAME],
      ['skipped', 'key_known', `${OTHER}; warning: changed_not_sent`],
      ['invalid', 'account_changed', expect.stringMatching(/^the row has another account than is known/)],
      ['invalid', 'account_changed', expect.any(String)],
      ['drafted', '', ''],
    ]);
    const report = await flow.look(['report', second.summary.run]);
    for (const words of ['warning changed_not_sent', 'account_changed', 'Ask the payee'])
      expect(report).toContain(words);
    expect(JSON.stringify(second)).not.toContain('7700339');

    // A held row stays open until somebody writes it off, and is held again in each delivery.
    const again = withSummary(await flow.onboard(['rerun', second.summary.run, '--json']));
    expect(await told(flow, again.summary)).toEqual([
      ['invalid', 'account_changed', expect.any(String)],
      ['invalid', 'account_changed', expect.any(String)],
    ]);
    expect(flow.sandbox.stats().made.drafts).toBe(made + 1);

    // Changed by hand, it is the known one.
    const writeOff = (...args: readonly string[]) =>
      flow.onboard(['write-off', again.summary.run, ...args, '--reason', 'called back']);
    const refused = await flow.onboard(['write-off', second.summary.run, '2', '--reason', 'x']);
    expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('is at the service')]);
    expect((await writeOff('3', '--changed-at-service')).exitCode).toBe(0);
    expect((await writeOff('4')).exitCode).toBe(0);
    const third = await flow.load(HELD, rows('P3,Cy,7700339,370', 'P4,Di,0444,371'));
    expect(await told(flow, third.summary)).toEqual([
      ['skipped', 'key_known', SAME],
      ['invalid', 'account_changed', expect.any(String)],
    ]);
  });

  test.each([
    ['in clear', {}],
    ['sealed', { ONBOARD_ENCRYPTION_KEY: newKey() }],
  ])(
    'has its old and new account side by side, %s, as long as its first file lies unchanged',
    async (_, env) => {
      const flow = await startFlow({ env });
      const first = rows('P1,Ada,1000004711,370', 'P2,Ben,2000000815,370', 'P3,Cy,3000000042,370');
      const created = await flow.load(HELD, first);
      const { summary } = await flow.load(HELD, rows('P1,Ada,2000000815,370', 'P3,Cy,3000000043,370'));
      expect(summary.outcomes).toMatchObject({ invalid: 2 });
      const whose = `, which row 2 of run ${created.summary.run} has under another name`;
      const account = await flow.look(['account', summary.run]);
      expect(account).toContain(`account …4711 is known, the row has …0815${whose}\n`);
      expect(account).toContain('account …0042 is known, the row has …0043\n');
      expect(account).not.toMatch(/1000004711|2000000815|3000000042/);
      // Only who decides sees them.
      for (const args of [['report', summary.run], ['audit'], ['account', summary.run, '--json']])
        expect(await flow.look(args)).not.toMatch(/…4711|…0815|1000004711|2000000815/);

      await writeFile(`${flow.home}/rows-1.csv`, first.replace('4711', '4712'));
      const changed = await flow.look(['account', summary.run]);
      expect(changed).toContain(`account one that is in no file here is known, the row has …0815${whose}`);
      expect(changed).not.toMatch(/…4711|…4712/);
    },
  );

  test('is told with no account but the known one: what was changed at the service is in no first file', async () => {
    const flow = await startFlow();
    const job = HELD.replace('key: externalId', 'key: externalId\ngroup: accounts');
    await flow.load(job, rows('P1,Ada,1000004711,370', 'P1,Ada,1000004712,370'));
    const moved = await flow.load(job, rows('P1,Ada,1000004711,370', 'P1,Ada,1000004713,370'));
    expect(await flow.look(['account', moved.summary.run])).toContain(
      'account …4712 is known, the row has …4713',
    );
    const write = [
      'write-off',
      moved.summary.run,
      '1',
      '2',
      '--changed-at-service',
      '--reason',
      'called back',
    ];
    expect((await flow.onboard(write)).exitCode).toBe(0);
    const again = await flow.load(job, rows('P1,Ada,1000004714,370'));
    const told = await flow.look(['account', again.summary.run]);
    expect(told).toContain('account one that is in no file here is known, the row has …4714');
  });

  test('another person than who loaded it says that an account is right, where the job asks for two', async () => {
    const flow = await startFlow();
    const load = async (csv: string) => {
      const definition = await flow.file('two.yaml', `${HELD}approval: required\n`);
      await flow.onboard(['run', '--job-file', definition, await flow.file('two.csv', csv)]);
      const run = await newestRun(flow);
      const own = await statusOf(flow, run);
      await fromElsewhere(flow, run);
      await flow.onboard(['approve', run]);
      return { run, registeredBy: own.registeredBy ?? '' };
    };
    await load(rows('P1,Ada,111,370'));
    const { run, registeredBy } = await load(rows('P1,Ada,112,370'));
    const args = ['write-off', run, '1', '--changed-at-service', '--reason', 'called back'];
    const { redis } = await fromElsewhere(flow, run);
    await setRecord(redis, await storedRun(redis, run), { registeredBy });
    const own = await flow.onboard(args);
    expect([own.exitCode, own.stderr]).toEqual([
      3,
      expect.stringContaining("who can't confirm its accounts"),
    ]);
    await fromElsewhere(flow, run);
    expect((await flow.onboard(args)).exitCode).toBe(0);
  });

  test('of several rows is held as one, and is said to be changed as one', async () => {
    const flow = await startFlow();
    const job = HELD.replace('key: externalId', 'key: externalId\ngroup: accounts');
    await flow.load(job, rows('P1,Ada,111,370', 'P1,Ada,112,370'));
    const { summary } = await flow.load(job, rows('P1,Ada,113,370', 'P1,Ada,114,370'));
    expect(summary.outcomes).toMatchObject({ invalid: 2 });
    const writeOff = (...numbers: readonly string[]) =>
      flow.onboard(['write-off', summary.run, ...numbers, '--changed-at-service', '--reason', 'called back']);
    const half = await writeOff('1');
    expect([half.exitCode, half.stderr]).toEqual([3, expect.stringContaining('name all its rows')]);
    expect((await writeOff('1', '2')).exitCode).toBe(0);
    const again = await flow.load(job, rows('P1,Ada,114,370', 'P1,Ada,113,370'));
    expect(again.summary.outcomes).toMatchObject({ skipped: 2 });
    expect(again.summary.topWarnings).toEqual([{ code: 'changed_not_sent', count: 2, exampleRow: 1 }]);
  });

  test('a created record’s content is known to an upsert, which sends the records that changed', async () => {
    const flow = await startFlow();
    const job = (operation: string) =>
      [`operation: ${operation}`, 'key: externalId', 'fields:', '  details.name: name', ''].join('\n');
    const csv = (...lines: readonly string[]) => ['externalId,name', ...lines, ''].join('\n');
    await flow.load(job('subclient.create'), csv('S1,Ada Ltd', 'S2,Ben Ltd', 'S3,Cy Ltd'));

    const upserted = await flow.load(job('subclient.upsert'), csv('S1,Ada Ltd', 'S2,Ben Plc', 'S3,Cy Ltd'));
    expect(upserted.summary.outcomes).toMatchObject({ skipped: 2, updated: 1 });
    // What was updated is known as it was sent then, to those that create, too.
    const created = await flow.load(job('subclient.create'), csv('S1,Ada Ltd', 'S2,Ben Plc', 'S3,Cyd Ltd'));
    expect(await told(flow, created.summary)).toEqual([
      ['skipped', 'key_known', SAME],
      ['skipped', 'key_known', SAME],
      ['skipped', 'key_known', `${OTHER}; warning: changed_not_sent`],
    ]);
  });

  test('a cell that is empty now is told, since the service keeps what it has there', async () => {
    const flow = await startFlow();
    const job = [
      'operation: subclient.upsert',
      'key: externalId',
      'fields: { details.name: name, addresses.primary.town: town }',
      '',
    ].join('\n');
    const csv = (...lines: readonly string[]) => ['externalId,name,town', ...lines, ''].join('\n');
    await flow.load(job, csv('S1,Ada,Bern', 'S2,Ben,Ulm', 'S3,Cy,'));
    const emptied = await flow.load(job, csv('S1,Ada,', 'S2,Bob,', 'S3,Cy,'));
    const KEPT = 'no field that is filled has changed since the service last accepted the record';
    expect(await told(flow, emptied.summary)).toEqual([
      ['skipped', 'unchanged', `${KEPT}; warning: emptied_not_sent`],
      ['updated', '', expect.stringContaining('warning: emptied_not_sent')],
      ['skipped', 'unchanged', 'no field has changed since the service last accepted the record'],
    ]);
  });

  test('of which nothing is known is told, where money would go to it', async () => {
    const flow = await startFlow({ faults: ['reset-after-create=always'] });
    const first = await flow.load(payees(), rows('P1,Ada,111,370'));
    expect(first.summary.outcomes['in-doubt']).toBe(1);
    const { run } = first.summary;
    await flow.look(['resolve', run, '1', '--created', 'cp-1']);
    const second = await flow.load(payees(), rows('P1,Ada,111,370'));
    expect(await told(flow, second.summary)).toEqual([
      ['skipped', 'key_known', `${NOT_KNOWN}; warning: account_not_known`],
    ]);
  });

  test.each([
    [
      'in clear: nothing',
      '',
      ['skipped', NOT_KNOWN, 'account_not_known'],
      ['skipped', NOT_KNOWN, 'account_not_known'],
    ],
    ['sealed and guarded: the accounts', newKey(), ['skipped', NOT_KNOWN, ''], ['invalid', HELD_WORDS, '']],
  ])('is known after a purge %s', async (_, key, same, moved) => {
    const flow = await startFlow({ env: { ONBOARD_ENCRYPTION_KEY: key } });
    const first = await flow.load(HELD, rows('P1,Ada,111,370', 'P2,Ben,222,370', 'P3,Cy,333,370'));
    // A later run had the third in its file.
    await flow.load(HELD, rows('P3,Cy,333,370'));
    await makeOld(flow, first.summary.run);
    await flow.look(['purge', '--run', first.summary.run]);

    const second = await flow.load(HELD, rows('P1,Ada,111,370', 'P2,Ben,229,370', 'P3,Cy,333,370'));
    expect(await told(flow, second.summary)).toEqual([
      [same[0], expect.any(String), withWarning(same)],
      [moved[0], expect.any(String), withWarning(moved)],
      ['skipped', 'key_known', SAME],
    ]);
  });
});

function withWarning([, message = '', warning = '']: readonly string[]) {
  return expect.stringMatching(new RegExp(`^${message}${warning === '' ? '' : `; warning: ${warning}`}`));
}
