import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addPerson } from '../../src/web/people.ts';
import { createJob, type Flow, startFlow } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { fileLines, rowsOf, startInboxFlow } from '../support/inbox.ts';
import { checkUpload, enterPage, originOfPage } from '../support/page.ts';
import { newestRun, statusOf, summaryFrom } from '../support/run-control.ts';
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

describe('a run whose job asks for approval', () => {
  test('waits with what a check counts, for another person and the file that was looked at', async () => {
    const flow = await startFlow();
    const { file, given, begun, id } = await loaded(flow);
    expect([begun.exitCode, made(flow)]).toEqual([2, 0]);
    const counts = '5 rows, 2 would be invalid, 3 can be sent';
    for (const words of ['paused (approval)', counts, 'not approved', `    onboard approve ${id}\n`])
      expect(begun.stdout).toContain(words);
    // Nothing but an approval lets it go: not the same command, not --yes, not a worker.
    const again = await flow.onboard([...given, '--json']);
    expect([again.exitCode, again.stderr]).toEqual([2, expect.stringContaining(`onboard approve ${id}`)]);
    await refused(flow, ['resume', id, '--yes'], `onboard approve ${id}`);
    const waiting = await statusOf(flow, id);
    expect(waiting).toMatchObject({ reason: 'approval', checked: COUNTED });
    const own = waiting.registeredBy ?? '';
    await refused(flow, ['approve', id], `was loaded by ${own}`, 'another person');
    await refusedAs({ ONBOARD_ACTOR: ` ${own.toUpperCase()}` }, flow, ['approve', id], 'another person');
    expect((await flow.onboard(['pause', id])).stdout).toContain(`onboard approve ${id}`);
    await writeFile(file, `${ROWS}A5,Five\n`);
    await refusedAs(BEA, flow, ['approve', id], 'is not the file that run', `onboard cancel ${id}`);
    expect([made(flow), (await statusOf(flow, id)).reason]).toEqual([0, 'approval']);

    await writeFile(file, ROWS);
    const approved = await summaryFrom(flow, ['approve', id], BEA);
    expect(approved).toMatchObject({
      exitCode: 1,
      summary: { run: id, outcomes: { created: 3, invalid: 2 } },
    });
    const names = { registeredBy: own, registeredVia: 'user', approval: { by: 'bea', via: 'ONBOARD_ACTOR' } };
    expect(approved.summary).toMatchObject(names);
    expect(made(flow)).toBe(3);
    for (const told of [
      await flow.look(['status', id]),
      await flow.report(approved.summary, 'report.html'),
    ]) {
      expect(told).toContain(counts);
      expect(told).toContain(`by ${own} (user), approved by bea (ONBOARD_ACTOR), `);
    }
    await flow.onboard(['report', id, '--share']);
    const mailed = await flow.report(approved.summary, 'report-share.html');
    expect(mailed).not.toMatch(/bea|approved by/);
    await refusedAs(BEA, flow, ['approve', id], 'nothing to approve');
  });

  test('has its rows sent again only with another approval, and is cancelled without one', async () => {
    const flow = await startFlow({ faults: ['404=always;key=A1', '404=always;key=A2'] });
    const { id } = await loaded(flow);
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
    const approved = await summaryFrom(flow, ['approve', summary.run], BEA);
    expect(approved.summary.outcomes.created).toBe(2);
  });
});

test('files of other jobs pass one in the inbox that waits; approved in a terminal it goes to done', async () => {
  const other = `files: "other*"\n${createJob()}`;
  const { flow, drop, begin, list } = await startInboxFlow({ dual: `files: "dual*"\n${JOB}`, other });
  await drop('dual.csv', ROWS);
  const watching = begin(['start', '--no-web']);
  await until(() => watching.said().includes('onboard approve '));
  const id = await newestRun(flow);
  await drop('other.csv', rowsOf('O', 2));
  await until(async () => (await list('done')).some((name) => name.startsWith('other')));
  expect([made(flow), await statusOf(flow, id)]).toMatchObject([2, { reason: 'approval', checked: COUNTED }]);
  expect(await flow.look(['status', id])).toContain('(inbox), not approved');
  const approved = await flow.onboard(['approve', id], BEA);
  expect(approved.exitCode, approved.stderr).toBe(1);
  await until(async () => (await list('done')).some((name) => name.startsWith('dual')));
  watching.interrupt();
  const lines = fileLines(await watching.ended).map(({ file, result }) => `${file} ${result}`);
  expect(lines).toEqual(['dual.csv paused', 'other.csv done', 'dual.csv done']);
  expect(await readdir(join(flow.home, 'inbox', '.processing'))).toEqual([]);
  expect(made(flow)).toBe(5);
});

test('who uploads a file at the page is not who approves it there', async () => {
  const { flow, start, list } = await startInboxFlow({ dual: JOB });
  const port = await freePort();
  const own = await addPerson(flow.home, 'ann', 'operator');
  const other = await addPerson(flow.home, 'bea', 'operator');
  start(['start', '--web', `127.0.0.1:${port}`]);
  const origin = await originOfPage(port);
  const ann = await enterPage(origin, { name: '', token: own });
  const bea = await enterPage(origin, { name: '', token: other });
  const upload = await ann.upload('partner.csv', ROWS);
  const { host, verdict } = await checkUpload(ann, upload, 'dual');
  expect(verdict).toMatch(/>\s*Register for approval\s*<\/button>/);
  const run = await ann.post(`${upload}/start`, { job: 'dual', host });
  await until(async () => (await ann.look(run)).includes('You have loaded it'));
  expect(await ann.post(`${run}/approve`, { seen: 'paused' })).toContain('was loaded by ann');
  expect(await bea.post(`${run}/resume`, { seen: 'paused' })).toContain('waits for approval');
  expect(await bea.look(run)).toContain('5 rows, 2 would be invalid, 3 can be sent');
  expect(made(flow)).toBe(0);
  expect(await bea.post(`${run}/approve`, { seen: 'paused' })).toContain('The run is approved');
  await until(async () => (await ann.look(run)).includes('finished'));
  expect(await ann.look(run)).toMatch(
    /by ann \(page\), approved by bea \(page\), .*Story.*approved by bea</s,
  );
  await until(async () => (await list('done')).length > 0);
  expect(made(flow)).toBe(3);
});
