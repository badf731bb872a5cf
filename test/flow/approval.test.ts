import { spawnSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addPerson } from '../../src/faces/web/people.ts';
import { isUserTold, systemUser } from '../../src/lib/machine.ts';
import { createJob, type Flow, startFlow } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { fileLines, type InboxFlow, rowsOf, startInboxFlow } from '../support/inbox.ts';
import { checkUpload, enterPage, originOfPage, PAGE_TOKEN } from '../support/page.ts';
import { fromElsewhere, newestRun, statusOf, summaryFrom } from '../support/run-control.ts';
import { lose, setLease } from '../support/stored.ts';
import { until } from '../support/until.ts';

const JOB = `${createJob()}approval: required\nrequired: [details.name]\n`;
const ROWS = 'externalId,details.name\nA1,One\nA2,Two\nA3,\nA2,Twice\nA4,Four\n';
const COUNTED = { sendable: 3, invalid: 2, skipped: 0, waiting: 0 };

async function loaded(flow: Flow) {
  const job = await flow.file('dual.yaml', JOB);
  const file = await flow.file('dual.csv', ROWS);
  const given = ['run', '--job-file', job, file, '--yes'];
  const begun = await flow.onboard(given);
  return { file, given, begun, id: await newestRun(flow) };
}

const made = ({ sandbox }: Flow) => sandbox.stats().made.subclients;

const BEA = { ONBOARD_ACTOR: 'bea' };

async function refused(flow: Flow, args: readonly string[], ...said: readonly string[]) {
  return refusedAs({}, flow, args, ...said);
}

async function refusedAs(
  env: Record<string, string>,
  flow: Flow,
  args: readonly string[],
  ...said: readonly string[]
) {
  const { exitCode, stderr } = await flow.onboard(args, env);
  expect(exitCode, stderr).toBe(3);
  for (const words of said) expect(stderr).toContain(words);
}

/** Who logs in at the page of a flow. */
async function servePage(flow: Flow, start: InboxFlow['start'] = flow.start) {
  const port = await freePort();
  start(['start', '--web', `127.0.0.1:${port}`], { ONBOARD_WEB_TOKEN: PAGE_TOKEN });
  const origin = await originOfPage(port);
  const person = async (name: string) => {
    return enterPage(origin, { name: '', token: await addPerson(flow.home, name, 'operator') });
  };
  return { person, anybody: (name: string) => enterPage(origin, { name, token: PAGE_TOKEN }) };
}

const inNamespace = (kind: string) => ['unshare', kind, '--fork'];
const hasNamespaces = spawnSync('unshare', ['--pid', '--uts', '--fork', 'true']).status === 0;

describe('a run whose job asks for approval', () => {
  test('sends nothing that nobody looked at: a row that could not go then is held until it is approved anew', async () => {
    const flow = await startFlow();
    const csv = (...rows: readonly string[]) => ['externalId,details.name', ...rows, ''].join('\n');
    const other = await flow.file('other.yaml', createJob());
    const elsewhere = await flow.file('elsewhere.csv', csv('A2,Two'));
    // A run that never came to send it has the key of the second row.
    await flow.onboard(['run', '--job-file', other, elsewhere], { MSB_TOKEN: 'wrong' });
    const open = await newestRun(flow);
    const job = await flow.file('dual.yaml', JOB);
    await flow.onboard([
      'run',
      '--job-file',
      job,
      await flow.file('dual.csv', csv('A1,One', 'A2,Two', 'A3,Three')),
    ]);
    const id = await newestRun(flow);
    expect(await statusOf(flow, id)).toMatchObject({ checked: { sendable: 2, invalid: 1 } });
    await flow.onboard(['cancel', open]);

    await fromElsewhere(flow, id);
    const { summary } = await summaryFrom(flow, ['approve', id]);
    expect([summary.outcomes.created, summary.outcomes.invalid, made(flow)]).toEqual([2, 1, 2]);
    const [, second] = await flow.results(summary);
    expect(second).toMatchObject({ outcome: 'invalid', code: 'plan_differs' });

    await flow.onboard(['rerun', id]);
    const again = await newestRun(flow);
    await fromElsewhere(flow, again);
    const sent = await summaryFrom(flow, ['approve', again]);
    expect([sent.summary.outcomes.created, made(flow)]).toEqual([1, 3]);
  });

  test('sends rows again that were sent beside others of their file', async () => {
    const flow = await startFlow();
    const job = await flow.file(
      'payees.yaml',
      `operation: counterparty.draft
key: externalId
approval: required
guard: { accounts: hold }
checks: { accounts: off }
fields: { name: name, accounts.0.accountNumber: account, email: email }
`,
    );
    const rows = 'externalId,name,account,email\nP1,Ada,111,\nP2,Ben,111,broken\n';
    await flow.onboard(['run', '--job-file', job, await flow.file('payees.csv', rows)]);
    const approved = async () => {
      const id = await newestRun(flow);
      await fromElsewhere(flow, id);
      return summaryFrom(flow, ['approve', id]);
    };
    const { summary } = await approved();
    expect(summary.outcomes).toMatchObject({ drafted: 1, rejected: 1 });
    await flow.onboard(['rerun', summary.run]);
    expect((await approved()).summary.outcomes).toMatchObject({ rejected: 1, invalid: 0 });
  });

  test('waits with what a check counts, for another person and the file that was looked at', async () => {
    const flow = await startFlow();
    const { file, given, begun, id } = await loaded(flow);
    expect([begun.exitCode, made(flow)]).toEqual([2, 0]);
    const counts = '5 rows, 2 would be invalid, 3 can be sent';
    for (const words of ['paused (approval)', counts, 'not approved']) expect(begun.stdout).toContain(words);
    const waiting = await statusOf(flow, id);
    const plan = waiting.plan ?? '';
    expect(begun.stdout).toContain(`    onboard approve ${id} --plan ${plan}\n`);
    // Nothing but an approval lets it go: not the same command, not --yes, not a worker.
    const again = await flow.onboard([...given, '--json']);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining(`onboard approve ${id}`)]);
    await refused(flow, ['resume', id, '--yes'], `onboard approve ${id}`);
    expect(waiting).toMatchObject({ reason: 'approval', checked: COUNTED });
    const own = waiting.registeredBy ?? '';
    await refused(flow, ['approve', id], `was loaded by ${own}`, 'another person');
    await refusedAs({ ONBOARD_ACTOR: ` ${own.toUpperCase()}` }, flow, ['approve', id], 'another person');
    expect((await flow.onboard(['pause', id])).stdout).toContain(`onboard approve ${id}`);
    // Another name for the same user of this machine.
    await refusedAs(BEA, flow, ['approve', id], `was loaded by ${own}`, 'another person');
    const { person } = await servePage(flow);
    const bea = await person('bea');
    const approve = (shown = plan) => bea.post(`/runs/${id}/approve`, { seen: 'paused', plan: shown });
    expect(await bea.look(`/runs/${id}/approve`)).toContain(plan);
    expect(await approve('')).toContain('not the one that was shown');
    await writeFile(file, `${ROWS}A5,Five\n`);
    expect(await approve()).toContain('is not the file that run');
    expect([made(flow), (await statusOf(flow, id)).reason]).toEqual([0, 'approval']);

    await writeFile(file, ROWS);
    expect(await approve()).toContain('The run is approved');
    await until(async () => (await statusOf(flow, id)).state === 'finished');
    const approved = { summary: await statusOf(flow, id) };
    const names = { registeredBy: own, registeredVia: 'user', approval: { by: 'bea', via: 'page' } };
    expect(approved.summary).toMatchObject({ ...names, outcomes: { created: 3, invalid: 2 } });
    expect(made(flow)).toBe(3);
    await flow.onboard(['report', id]);
    for (const told of [
      await flow.look(['status', id]),
      await flow.report(approved.summary, 'report.html'),
    ]) {
      expect(told).toContain(counts);
      expect(told).toContain(`by ${own} (user), approved by bea (page), `);
    }
    await refusedAs(BEA, flow, ['approve', id], 'nothing to approve');
  });

  test.skipIf(!isUserTold())('is approved by the plan that was shown, and by no other', async () => {
    const flow = await startFlow();
    const { id } = await loaded(flow);
    await fromElsewhere(flow, id);
    const plan = (await statusOf(flow, id)).plan ?? '';
    expect(plan).toMatch(/^[\da-f]{16}$/);
    const other = ['approve', id, '--plan', '0000000000000000'];
    await refusedAs(BEA, flow, other, `The plan of run ${id} is ${plan}`, 'nothing was approved');
    expect(made(flow)).toBe(0);

    const approved = await flow.onboard(['approve', id, '--plan', plan], BEA);
    expect(approved.stderr).toContain(`plan: ${plan}`);
    expect(made(flow)).toBe(3);
    expect(await flow.look(['audit', '--json', '--run', id])).toContain(`"plan":"${plan}"`);
  });

  test.skipIf(!isUserTold())(
    'has its rows sent again only with another approval, and is cancelled without one',
    async () => {
      const flow = await startFlow({ faults: ['404=always;key=A1', '404=always;key=A2'] });
      const { id } = await loaded(flow);
      await fromElsewhere(flow, id);
      await flow.onboard(['approve', id], BEA);
      flow.sandbox.setFaults([]);
      const before = made(flow);
      const waiting = await summaryFrom(flow, ['rerun', id, '--only', 'failed']);
      const checked = { ...COUNTED, sendable: 2, invalid: 0 };
      expect(waiting).toMatchObject({ exitCode: 2, summary: { parent: id, reason: 'approval', checked } });
      const rerun = waiting.summary.run;
      await refused(flow, ['approve', rerun], 'another person');
      await refused(flow, ['rerun', rerun], `onboard approve ${rerun}`);
      expect(made(flow)).toBe(before);
      expect((await flow.onboard(['cancel', rerun])).exitCode).toBe(0);
      await refusedAs(BEA, flow, ['approve', rerun], 'nothing to approve');
      const { summary } = await summaryFrom(flow, ['rerun', rerun]);
      expect(made(flow)).toBe(before);
      await fromElsewhere(flow, summary.run);
      const approved = await summaryFrom(flow, ['approve', summary.run], BEA);
      expect(approved.summary.outcomes.created).toBe(2);
      const { name: user } = systemUser();
      expect(approved.summary.approval).toMatchObject({ by: 'bea', via: 'ONBOARD_ACTOR', user });
      const acts = (await flow.look(['audit', '--json', '--run', summary.run])).trim().split('\n');
      const approving = acts.map((line) => JSON.parse(line)).find(({ what }) => what === 'approved');
      expect(approving).toMatchObject({ actor: 'bea', via: 'ONBOARD_ACTOR', user });
    },
  );
});

test.skipIf(!isUserTold())('is approved first, also where another process has its lease', async () => {
  const flow = await startFlow();
  const { id } = await loaded(flow);
  const { redis, lease } = await fromElsewhere(flow, id);
  // Renewed, as by a process that reads the run.
  const renewing = setInterval(() => setLease(redis, lease, 'host.1', 10_000), 20);
  await until(async () => (await redis.exists(lease)) === 1);
  const { exitCode, stdout } = await flow.onboard(['approve', id], BEA);
  clearInterval(renewing);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('goes on in process host.1')]);
  expect(await statusOf(flow, id)).toMatchObject({ state: 'running', approval: { by: 'bea' } });
  await lose(redis, lease);
  expect((await summaryFrom(flow, ['resume', id])).summary.outcomes.created).toBe(3);
});

test.skipIf(!hasNamespaces).each(['--pid', '--uts'])(
  'in a container (%s) nobody approves in a terminal, and the doctor says so',
  async (kind) => {
    const flow = await startFlow();
    const { id } = await loaded(flow);
    await fromElsewhere(flow, id);
    const within = (...args: readonly string[]) => flow.start(args, BEA, inNamespace(kind)).ended;
    const { exitCode, stderr } = await within('approve', id);
    expect([exitCode, stderr]).toEqual([3, expect.stringContaining("is a container's or has no name")]);
    expect((await statusOf(flow, id)).reason).toBe('approval');
    const { stdout } = await within('status');
    expect(stdout).toContain('it is approved at the page');
    expect(stdout).not.toContain('onboard approve');
    expect((await within('doctor')).stdout).toContain('is approved at the page alone');
    expect((await flow.onboard(['doctor'])).stdout.includes('approved at the page')).toBe(!isUserTold());
  },
);

test.skipIf(!isUserTold())(
  'files of other jobs pass one in the inbox that waits; approved in a terminal it goes to done',
  async () => {
    const other = `files: "other*"\n${createJob()}`;
    const { flow, drop, begin, list } = await startInboxFlow({ dual: `files: "dual*"\n${JOB}`, other });
    await drop('dual.csv', ROWS);
    const watching = begin(['start', '--no-web']);
    await until(() => watching.said().includes('onboard approve '));
    const id = await newestRun(flow);
    await drop('other.csv', rowsOf('O', 2));
    await until(async () => (await list('done')).some((name) => name.startsWith('other')));
    expect([made(flow), await statusOf(flow, id)]).toMatchObject([
      2,
      { reason: 'approval', checked: COUNTED },
    ]);
    expect(await flow.look(['status', id])).toContain('by nobody (inbox), not approved');
    const approved = await flow.onboard(['approve', id], BEA);
    expect(approved.exitCode, approved.stderr).toBe(1);
    await until(async () => (await list('done')).some((name) => name.startsWith('dual')));
    watching.interrupt();
    const lines = fileLines(await watching.ended).map(({ file, result }) => `${file} ${result}`);
    expect(lines).toEqual(['dual.csv paused', 'other.csv done', 'dual.csv done']);
    expect(await readdir(join(flow.home, 'inbox', '.processing'))).toEqual([]);
    expect(made(flow)).toBe(5);
  },
);

test('who uploads a file at the page is not who approves it there, nor is anybody by a shared token', async () => {
  const { flow, start, list } = await startInboxFlow({ dual: JOB });
  const { person, anybody } = await servePage(flow, start);
  const [ann, bea, claimed] = [await person('ann'), await person('bea'), await anybody('ann')];
  const upload = await claimed.upload('partner.csv', ROWS);
  const { host, verdict } = await checkUpload(claimed, upload, 'dual');
  expect(verdict).toMatch(/>\s*Register for approval\s*<\/button>/);
  const begin = { job: 'dual', host };
  expect(await claimed.post(`${upload}/start`, begin)).toContain(
    'expected a person with a token of their own',
  );
  const run = await ann.post(`${upload}/start`, begin);
  await until(async () => (await ann.look(run)).includes('You have loaded it'));
  expect(await ann.post(`${run}/approve`, { seen: 'paused' })).toContain('was loaded by ann');
  expect(await claimed.look(run)).toContain('ann (as claimed) has come by');
  expect(await claimed.post(`${run}/approve`, { seen: 'paused' })).toContain('a token of their own');
  expect(await bea.post(`${run}/resume`, { seen: 'paused' })).toContain('waits for approval');
  expect(await bea.look(run)).toContain('5 rows, 2 would be invalid, 3 can be sent');
  expect(made(flow)).toBe(0);
  const [, plan = ''] = /name="plan" value="(\w+)"/.exec(await bea.look(`${run}/approve`)) ?? [];
  expect(await bea.post(`${run}/approve`, { seen: 'paused', plan })).toContain('The run is approved');
  await until(async () => (await ann.look(run)).includes('finished'));
  expect(await ann.look(run)).toMatch(
    /by ann \(page\), approved by bea \(page\), .*Story.*approved by bea</s,
  );
  await until(async () => (await list('done')).length > 0);
  expect(made(flow)).toBe(3);
  expect(await claimed.post(`${run}/rerun`, { only: 'invalid' })).toContain('a token of their own');
});
