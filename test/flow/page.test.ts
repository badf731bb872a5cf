import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parseRedisUrl, shownAddress } from '../../src/config/redis-address.ts';
import { createChildren } from '../../src/faces/page/child.ts';
import { fileStamp } from '../../src/lib/file-stamp.ts';
import { claimFolder } from '../../src/runs/inbox/claim.ts';
import { createJob, type Flow, keysOf } from '../support/flow.ts';
import { ownFolder } from '../support/folder.ts';
import { freePort } from '../support/free-port.ts';
import { startInboxFlow } from '../support/inbox.ts';
import { checkUpload, enterPage, isPageServed, originOfPage, PAGE_TOKEN } from '../support/page.ts';
import { startRedisServer } from '../support/redis-server.ts';
import { statusOf } from '../support/run-control.ts';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';

const SECRET = 'token-of-the-service';
const UNDATED = 3;
const UNSURE = 2;
const ROWS = 30;
const SENT = ROWS - UNDATED - UNSURE;

/** Rows of which some are not sent, for two causes. */
function rows(): string {
  const lines = keysOf(ROWS, 'P').map((key, i) => {
    const date = i < UNDATED ? 'one day' : '2020-03-31';
    return `${key},Company ${i + 1} Ltd,${date},${i < ROWS - UNSURE ? 'true' : 'perhaps'}`;
  });
  return ['externalId,details.name,kyc.details.incorporationDate,regulators.isRegulated', ...lines, ''].join(
    '\n',
  );
}

/** The rows, uploaded and checked by the job `portfolio`. */
async function uploadAndCheck(ops: Awaited<ReturnType<typeof enterPage>>) {
  const upload = await ops.upload('partner.csv', rows());
  return { upload, ...(await checkUpload(ops, upload, 'portfolio')) };
}

/** The page's process: a child of that one. */
async function pageOf(parent: number | undefined): Promise<number> {
  const found: number[] = [];
  await until(async () => {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,command=']);
    for (const line of stdout.split('\n')) {
      const [, pid, ppid, command = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      if (Number(ppid) === parent && / web --listen /.test(command)) found.push(Number(pid));
    }
    return found.length > 0;
  });
  return found.at(-1) ?? 0;
}

const made = ({ sandbox }: Flow) => sandbox.stats().made.subclients;

test('a file is loaded from the page alone, through a pause and the death of the page, and one cause is sent again', async () => {
  const { flow, start, list } = await startInboxFlow({ portfolio: createJob('concurrency: 2') });
  const port = await freePort();
  const env = { ONBOARD_WEB_TOKEN: PAGE_TOKEN, ONBOARD_WEBHOOK_SECRET_FILE: '', UNRELATED_SECRET: SECRET };
  const { child, ended } = start(['start', '--web', `127.0.0.1:${port}`], env);
  const origin = await originOfPage(port);
  const ops = await enterPage(origin);
  expect(await ops.look('/upload')).toMatch(new RegExp(`ONBOARD_HOME=${flow.home} (?:npx )?onboard run`));

  const { upload, verdict, host } = await uploadAndCheck(ops);
  // A name that is none of a job's says nothing of any file.
  expect(await ops.post(`${upload}/check`, { job: '--job-file=/etc/hostname' })).toContain('There is no job');
  const invalid = UNDATED + UNSURE;
  expect(verdict).toContain(`${ROWS} rows, ${invalid} would be invalid, ${SENT} can be sent.`);
  expect(await ops.post(`${upload}/start`, { job: 'portfolio', host: 'elsewhere' })).toContain(
    'nothing was begun',
  );

  const run = await whileSlow(flow.sandbox, { after: [], latency: '1s' }, async () => {
    const path = await ops.post(`${upload}/start`, { job: 'portfolio', host });
    const id = path.replace('/runs/', '');
    await until(async () => (await statusOf(flow, id)).state === 'running');
    expect(await ops.post(`${path}/pause`, { seen: 'running', why: 'lunch' })).toContain('is paused');
    expect(await ops.post(`${path}/pause`, { seen: 'running', why: '' })).toContain('Somebody was faster');
    return path;
  });
  expect(run).toMatch(/^\/runs\/\d{8}-/);
  const before = made(flow);
  expect(before).toBeLessThan(SENT);

  // The page knows no secret, and what becomes of it touches no row.
  const page = await pageOf(child.pid);
  const { stdout: environment } = await promisify(execFile)('ps', [
    'eww',
    '-o',
    'command=',
    '-p',
    String(page),
  ]);
  expect(environment).toContain('ONBOARD_HOME');
  for (const secret of [SECRET, 'MSB_TOKEN']) expect(environment).not.toContain(secret);
  process.kill(page, 'SIGKILL');
  await until(async () => (await pageOf(child.pid)) !== page && (await isPageServed(port)));
  expect(await ops.look(run)).toContain('/enter?to=');
  const again = await enterPage(origin);
  expect(await again.look(run)).toContain('lunch');
  await again.post(`${run}/resume`, { seen: 'paused' });
  await until(async () => (await again.look(run)).includes('finished'));
  expect(made(flow)).toBe(SENT);

  const shown = async () => [...(await again.look(run)).matchAll(/name="cause" value="([^"]+)"/g)];
  await until(async () => (await shown()).length === 2);
  const causes = (await shown()).map(([, cause]) => cause);
  expect(await again.look(`${run}/rerun?only=invalid&cause=${causes[0]}`)).toContain('Send rows again?');
  const unknown = await again.post(`${run}/rerun`, { cause: 'no-such', only: 'invalid' });
  expect(unknown).toContain('does not know that cause');
  const [commonest = ''] = causes;
  // A run that has just ended is being wound up for a moment, and is sent again when that is done.
  const sendAgain = async (form: Record<string, string>) => {
    let sent = '';
    await until(async () => {
      sent = await again.post(`${run}/rerun`, { only: 'invalid', ...form });
      return sent.includes('The rows are a run of their own');
    });
    return [...sent.matchAll(/\/runs\/\d{8}-\d{6}-\w+/g)].map(String).find((path) => path !== run) ?? '';
  };
  const rerun = await sendAgain({ cause: commonest });
  await until(async () => (await again.look(rerun)).includes('finished'));
  const lines = (await flow.look(['runs', '--json'])).trim().split('\n');
  const acts = (await flow.look(['audit', '--json']))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const atPage = acts
    .filter(({ via }) => via === 'page')
    .map(({ what, actor }) => [what, actor.split(' ')[0]]);
  const done = ['log-in', 'registered', 'paused', 'log-in', 'resumed', 'rerun', 'began'];
  expect(atPage).toEqual(done.map((what) => [what, 'ops-1']));
  const exported = ['audit', '--verify', join(flow.home, 'audit.ndjson')];
  await until(async () => (await flow.onboard(exported)).exitCode === 0);
  const sentAgain = lines.map((line) => JSON.parse(line)).find((line) => `/runs/${line.run}` === rerun);
  expect(sentAgain).toMatchObject({ rows: UNDATED, outcomes: { invalid: UNDATED } });
  // One is corrected where it is seen, and goes the way of every upload.
  const place = await again.post(`${run}/correct`, { send: '1', [`c${ROWS}.3`]: 'false' });
  expect(place).toMatch(/^\/uploads\/\w+\/check\?job=portfolio$/);
  await until(async () => (await again.look(place)).includes('1 row, can be sent.'));
  const [corrections = ''] = place.split('/check');
  expect(await again.post(`${corrections}/start`, { job: 'portfolio' })).toMatch(/^\/runs\//);
  await until(() => made(flow) === SENT + 1);
  // As the run had its job they are what they were; as it was corrected since, the others can be sent.
  const corrected = createJob('concurrency: 2').replace(
    'externalId }',
    'externalId, regulators.isRegulated: { column: regulators.isRegulated, true: ["true"], false: ["perhaps"] } }',
  );
  await writeFile(join(flow.home, 'jobs', 'portfolio.yaml'), corrected);
  const [, other = ''] = causes;
  await sendAgain({ cause: other, as: 'now' });
  await until(() => made(flow) === SENT + UNSURE);
  // What nobody will ever date is written off, and nothing of the file is open.
  const off = `${run}/write-off`;
  expect(await again.look(`${off}?cause=${commonest}`)).toContain('Write rows off?');
  expect(await again.post(off, { cause: commonest, why: ' ' })).toContain('Say why');
  const written = await again.post(off, { cause: commonest, why: 'no date comes' });
  expect(written).toMatch(new RegExp(`${UNDATED} rows? written off`));
  await until(async () => (await again.look(run)).includes(`${UNDATED} written off + 0 open`));
  await until(async () => (await list('done')).some((name) => /^partner\..*\.csv$/.test(name)));
  expect(await list('inbox')).toEqual([]);

  // Without the process that sends there is no page.
  child.kill('SIGKILL');
  await ended;
  await until(async () => !(await isPageServed(port)));
});

test('Redis goes away while somebody looks: that is said, and when it is back the run ends with every row', async () => {
  const redis = await startRedisServer();
  const { flow, start } = await startInboxFlow({ portfolio: createJob('concurrency: 2') });
  const port = await freePort();
  const env = { ONBOARD_WEB_TOKEN: PAGE_TOKEN, REDIS_URL: redis.url };
  start(['start', '--web', `127.0.0.1:${port}`], env);
  const origin = await originOfPage(port);
  const ops = await enterPage(origin);
  const { upload, host } = await uploadAndCheck(ops);
  const run = await whileSlow(flow.sandbox, { after: [], latency: '1s' }, async () => {
    const path = await ops.post(`${upload}/start`, { job: 'portfolio', host });
    await until(async () => (await ops.look(path)).includes('/pause'));
    await redis.kill();
    expect(await ops.look(path)).toContain('Redis does not answer');
    expect(await isPageServed(port)).toBe(true);
    await redis.start();
    return path;
  });
  await until(async () => (await ops.look(run)).includes('finished'));
  const status = await flow.onboard(['status', run.slice('/runs/'.length), '--json'], env);
  const { outcomes } = JSON.parse(status.stdout);
  expect(outcomes).toMatchObject({ invalid: UNDATED + UNSURE, failed: 0 });
  expect(outcomes.created + outcomes['in-doubt']).toBe(SENT);
  expect(flow.sandbox.stats().duplicateKeys).toBe(0);
});

test('an upload that a kill left between its claim and its run is taken at the next start', async () => {
  const { flow, start, list } = await startInboxFlow({ portfolio: createJob() });
  const inbox = join(flow.home, 'uploads');
  const upload = join(inbox, 'a');
  await mkdir(upload, { recursive: true });
  await writeFile(join(upload, 'partner.csv'), rows());
  await writeFile(join(upload, 'upload.json'), '{}');
  const info = {
    job: 'portfolio',
    target: flow.sandbox.url,
    ledger: shownAddress(parseRedisUrl(flow.redisUrl)),
    path: 'partner.csv',
    claimedAt: new Date().toISOString(),
    stamp: await fileStamp(join(upload, 'partner.csv')),
    marker: null,
  };
  await claimFolder(upload, { id: '20261121-100000-aaaa', inbox, info });
  const ended = await start(['start', '--once']).ended;
  expect(await list('done'), ended.stderr).toContainEqual(expect.stringMatching(/^partner\..*\.csv$/));
  expect(await list('uploads/.processing')).toEqual([]);
  expect(made(flow)).toBe(SENT);
});

test('whatever a job or a file is called, it is no option of a process that the page starts', async () => {
  const run = createChildren(
    { ...process.env, ONBOARD_HOME: await ownFolder() },
    new AbortController().signal,
  );
  const operands = ['--job-file=/etc/hostname', '--out=made.csv'];
  const { exitCode, problems } = await run(['check', '--json'], operands);
  expect([exitCode, problems.join()]).toEqual([
    3,
    expect.stringContaining(`there is no job "${operands[0]}"`),
  ]);
});

test('without any job there is no start, but with a page on which one is made, also for a file with a title above its header', async () => {
  const { flow, start } = await startInboxFlow({});
  const alone = await start(['start', '--no-web']).ended;
  expect([alone.exitCode, alone.stderr]).toEqual([3, expect.stringContaining('make one on the page')]);
  const port = await freePort();
  start(['start', '--web', `127.0.0.1:${port}`], { ONBOARD_WEB_TOKEN: PAGE_TOKEN });
  const origin = await originOfPage(port);
  const ops = await enterPage(origin);
  const titled = `Clients of Partner X,,,\n${rows()}`;
  const upload = await ops.upload('partner.csv', titled);
  const unread = await ops.look(upload);
  expect(unread).toContain('set format.header: 2');
  expect(unread).toContain('Use line 2 as header');
  expect(await ops.look(`${upload}?header=2`)).toContain(`${upload}/map?header=2`);

  const columns = ['additionalInformation.crmId', 'details.name', '', 'regulators.isRegulated'];
  const fields = Object.fromEntries(
    columns.flatMap((field, i) => [[`f${i}`, field] as const, [`r${i}`, '']]),
  );
  const form = {
    operation: 'subclient.create',
    'mapped-for': 'subclient.create',
    job: 'partner-x',
    key: '0',
    columns: '4',
    header: '2',
    ...fields,
  };
  // What no page of ours has offered makes no definition.
  const forged = '{ "pattern: x }\ninbox: /srv/others\nfiles: \\"*\\"": y }';
  expect(await ops.post(`${upload}/save`, { ...form, r1: forged })).toContain('that the page offers');
  const open = [{ key: '' }, { key: '', 'no-key': 'on' }, { key: 'none' }];
  for (const choice of open)
    expect(await ops.post(`${upload}/save`, { ...form, ...choice })).toMatch(/not decided|needs the tick/);
  expect(await readdir(join(flow.home, 'jobs'))).toEqual([]);
  expect(await ops.post(`${upload}/save`, form)).toBe(`${upload}/check?job=partner-x`);
  // The next such file is read as that job reads its own.
  const next = await ops.upload('next.csv', titled.replaceAll('\nP', '\nQ'));
  expect(await ops.look(next)).toContain('Check the file with it');
});

test('a row whose cell only looks damaged goes as it stands, once somebody has said that it is right', async () => {
  const strict = createJob().replace('send:', 'checks: { damage: error }\nsend:');
  const { flow, start } = await startInboxFlow({ portfolio: strict });
  const port = await freePort();
  start(['start', '--web', `127.0.0.1:${port}`], { ONBOARD_WEB_TOKEN: PAGE_TOKEN });
  const ops = await enterPage(await originOfPage(port));
  const text = 'externalId,details.name,regulators.isRegulated\nA1,MÃ¼ller Ltd,true\nA2,Fine Ltd,true\n';
  const upload = await ops.upload('odd.csv', text);
  const { host } = await checkUpload(ops, upload, 'portfolio');
  const run = await ops.post(`${upload}/start`, { job: 'portfolio', host });
  await until(async () => (await ops.look(run)).includes('finished'));
  expect(made(flow)).toBe(1);
  const ticked = { right: '1.1.mojibake', send: 'right', why: 'it is on its letter-head' };
  await until(async () => (await ops.post(`${run}/correct`, ticked)).includes('a run of their own'));
  await until(() => made(flow) === 2);
  const acts = (await flow.look(['audit', '--json'])).trim().split('\n');
  expect(acts.filter((line) => line.includes(ticked.why))).toHaveLength(1);
});
