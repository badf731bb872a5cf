import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createJob, type Flow, startFlow } from '../support/flow.ts';
import { freePort } from '../support/free-port.ts';
import { enterPage, originOfPage, PAGE_TOKEN } from '../support/page.ts';
import { newestRun, statusOf } from '../support/run-control.ts';
import { until } from '../support/until.ts';

const JOB = `${createJob()}delivery: full\n`;
const ROWS = 60;

const rows = (from: number, to: number, prefix = 'K', name = (n: number) => `Company ${n} Ltd`) =>
  Array.from({ length: to - from + 1 }, (_, i) => `${prefix}${from + i},${name(from + i)}`);

async function deliver(flow: Flow, name: string, lines: readonly string[], job = JOB) {
  const definition = await flow.file('portfolio.yaml', job);
  const file = await flow.file(`${name}.csv`, `externalId,details.name\n${lines.join('\n')}\n`);
  const args = ['run', '--job-file', definition, file, '--yes'];
  return { args, ...(await flow.onboard(args)) };
}

async function makeFolder({ home }: Flow, name: string): Promise<string> {
  const path = join(home, name);
  await mkdir(path, { recursive: true });
  return path;
}

const made = ({ sandbox }: Flow) => sandbox.stats().made.subclients;

/** Two deliveries as they should be. */
async function twice(flow: Flow, job = JOB): Promise<void> {
  for (const [name, lines] of [
    ['september', rows(1, ROWS)],
    ['october', rows(3, ROWS + 3)],
  ] as const)
    expect((await deliver(flow, name, lines, job)).exitCode).toBe(0);
}

test('a delivery whose keys were renamed waits until a person lets it go; the next one like it does not', async () => {
  const flow = await startFlow();
  await twice(flow);
  const before = made(flow);
  const november = await deliver(flow, 'november', rows(3, ROWS + 4, 'KX'));
  expect([november.exitCode, made(flow)]).toEqual([2, before]);
  const id = await newestRun(flow);
  for (const words of ['paused (unusual)', 'Of its keys 0 % are known', `onboard resume ${id} --yes`])
    expect(november.stdout).toContain(words);

  // Neither the same command nor a resume without a word of the person lets it go.
  expect((await flow.onboard(november.args)).exitCode).toBe(2);
  const refused = await flow.onboard(['resume', id]);
  expect([refused.exitCode, refused.stderr]).toEqual([3, expect.stringContaining('were the keys renamed?')]);
  // Everywhere the harmless way stands first, and beside the other what it means.
  for (const text of [november.stdout, refused.stderr, await flow.look(['status', id])]) {
    const words = text.replaceAll(/\s+/g, ' ');
    const [cancel, means, resume] = [`onboard cancel ${id}`, 'every row of it is sent', '--yes'].map((one) =>
      words.lastIndexOf(one),
    );
    expect(cancel).toBeGreaterThan(0);
    expect(means).toBeGreaterThan(cancel ?? 0);
    expect(resume).toBeGreaterThan(means ?? 0);
  }
  expect(made(flow)).toBe(before);

  const env = { ONBOARD_ACTOR: 'ann' };
  expect((await flow.onboard(['resume', id, '--yes'], env)).exitCode).toBe(0);
  // Its report keeps why it waited, and who let it go, as the audit has them.
  const { unusual } = JSON.parse(await flow.report({ run: id }, 'summary.json'));
  expect(unusual).toMatchObject({
    isHeld: true,
    sentences: [expect.stringContaining('were the keys renamed?')],
    letGo: { by: 'ann', via: 'ONBOARD_ACTOR', at: expect.stringMatching(/^20\d\d-/) },
  });
  for (const text of [await flow.report({ run: id }, 'report.html'), await flow.look(['status', id])])
    expect(text.replaceAll(/\s+/g, ' ')).toMatch(/keys renamed\? Let go by ann \(ONBOARD_ACTOR\), 20\d\d-/);

  const { profile } = JSON.parse(await flow.report({ run: id }, 'digest.json'));
  expect(profile).toMatchObject({
    rows: ROWS + 2,
    known: 0,
    columns: [{ name: 'details.name' }, { name: 'externalId' }],
  });
  expect(JSON.stringify(profile).length).toBeLessThan(4_096);
  expect(made(flow)).toBe(before + ROWS + 2);
  expect((await deliver(flow, 'december', rows(3, ROWS + 6, 'KX'))).exitCode).toBe(0);
});

test('of changes, a file that came twice says nothing of the next: its new records go', async () => {
  const flow = await startFlow();
  const job = createJob();
  const first = rows(1, ROWS);
  for (const [name, lines] of [
    ['first', first],
    ['again', first.toReversed()],
    ['next', rows(200, 200 + ROWS)],
  ] as const)
    expect((await deliver(flow, name, lines, job)).exitCode).toBe(0);
  expect(made(flow)).toBe(ROWS + ROWS + 1);
});

test('at the page the sentence stands beside the button that lets it go', async () => {
  const flow = await startFlow();
  await twice(flow);
  const before = made(flow);
  expect((await deliver(flow, 'november', rows(3, ROWS + 4, 'KX'))).exitCode).toBe(2);
  const id = await newestRun(flow);
  const port = await freePort();
  flow.start(['start', '--web', `127.0.0.1:${port}`], { ONBOARD_WEB_TOKEN: PAGE_TOKEN });
  const page = await enterPage(await originOfPage(port));
  const shown = await page.look(`/runs/${id}`);
  for (const words of ['The file is unlike those before it.', 'Of its keys 0 % are known'])
    expect(shown).toContain(words);
  expect(shown.indexOf('Cancel…')).toBeLessThan(shown.indexOf('Resume'));
  expect(made(flow)).toBe(before);

  expect(await page.post(`/runs/${id}/resume`, { seen: 'paused' })).toContain('The run goes on.');
  await until(async () => (await statusOf(flow, id)).state === 'finished');
  expect(made(flow)).toBe(before + ROWS + 2);
  const acts = (await flow.look(['audit', '--json', '--run', id])).trim().split('\n');
  const went = acts.map((line) => JSON.parse(line)).find(({ what }) => what === 'began');
  expect(went).toMatchObject({ actor: 'ops-1 (as claimed)', of: { reason: 'unusual' } });
  const { unusual } = await statusOf(flow, id);
  expect(unusual?.letGo).toMatchObject({ by: 'ops-1 (as claimed)', via: went.via });
});

test('a cut delivery waits, is given up, and counts for nothing', async () => {
  const flow = await startFlow();
  await twice(flow);
  const long = [...rows(3, ROWS + 3), ...rows(100, 100 + 2 * ROWS)];
  expect((await deliver(flow, 'november', long)).exitCode).toBe(2);
  const id = await newestRun(flow);
  expect((await statusOf(flow, id)).reason).toBe('unusual');
  // A new run of it is asked for in vain before that one is over, which is said.
  const { args } = await deliver(flow, 'november', long);
  const again = await flow.onboard([...args, '--again']);
  expect([again.exitCode, again.stderr]).toEqual([
    2,
    expect.stringMatching(
      `--again changes nothing: run ${id} of this file is paused \\(unusual\\).*onboard cancel ${id}`,
    ),
  ]);
  expect(await newestRun(flow)).toBe(id);
  expect((await flow.onboard(['cancel', id])).exitCode).toBe(0);
  // Its rows don't go by another way.
  const before = made(flow);
  const rerun = await flow.onboard(['rerun', id]);
  expect([rerun.exitCode, rerun.stderr]).toEqual([3, expect.stringContaining('--again')]);
  const { stdout } = await flow.onboard(['report', id]);
  expect(stdout).not.toContain('onboard rerun');
  expect(made(flow)).toBe(before);
  expect((await deliver(flow, 'december', rows(4, ROWS + 5))).exitCode).toBe(0);
});

test('a file of all records that is cut to a few rows waits as any that is cut', async () => {
  const flow = await startFlow();
  await twice(flow);
  const cut = await deliver(flow, 'november', rows(3, 22));
  expect([cut.exitCode, cut.stdout]).toEqual([2, expect.stringContaining('paused (unusual)')]);
});

test('few rows are only told of, and so is every file of a job that says so', async () => {
  const flow = await startFlow();
  await twice(flow);
  const few = await deliver(flow, 'november', rows(3, 42, 'N'), createJob());
  expect([few.exitCode, few.stderr]).toEqual([0, expect.stringContaining('were the keys renamed?')]);
  const status = (await flow.look(['status', 'latest'])).replaceAll(/\s+/g, ' ');
  expect(status).toContain('That was told, and held nothing back.');
  // Nobody has said that it is as it should be: what comes next is compared with those before.
  expect((await deliver(flow, 'december', rows(3, ROWS + 4, 'KX'))).exitCode).toBe(2);
  const told = await startFlow();
  const job = `${JOB}unusual: warn\n`;
  await twice(told, job);
  const renamed = await deliver(told, 'november', rows(3, ROWS + 4, 'KX'), job);
  expect([renamed.exitCode, renamed.stderr]).toEqual([0, expect.stringContaining('were the keys renamed?')]);
});

test('cells in another column hold a file back, too, and are told without a value', async () => {
  const flow = await startFlow();
  await twice(flow);
  const swapped = await deliver(
    flow,
    'november',
    rows(3, ROWS + 3, 'K', (n) => String(70_000_000 + n)),
  );
  expect(swapped.exitCode).toBe(2);
  expect(swapped.stdout).toContain('Column "details.name" has mostly digits of up to 8 signs, before');
  expect(swapped.stdout).not.toContain('70000');
  const { problem } = await statusOf(flow, await newestRun(flow));
  expect(problem).not.toContain('70000');
});

test('a check says what would hold the file, as its run does, and makes no run and no call', async () => {
  const flow = await startFlow();
  await twice(flow);
  const definition = await flow.file('portfolio.yaml', JOB);
  const check = async (file: string, ...more: readonly string[]) =>
    (await flow.onboard(['check', '--job-file', definition, file, ...more])).stdout;
  const told = async (file: string) => JSON.parse(await check(file, '--json')).unusual;
  const write = (name: string, lines: readonly string[]) =>
    flow.file(name, `externalId,details.name\n${lines.join('\n')}\n`);

  const renamed = await write('november.csv', rows(3, ROWS + 4, 'KX'));
  const [before, runs] = [flow.sandbox.stats(), await newestRun(flow)];
  const { isHeld, sentences } = await told(renamed);
  expect([isHeld, sentences]).toEqual([true, [expect.stringContaining('were the keys renamed?')]]);
  const lines = (await check(renamed)).split('\n').map((line) => line.trim());
  expect(lines.slice(1, 3)).toEqual([
    'unusual     The file is unlike those before it: nothing of it would be sent before somebody lets it go.',
    sentences[0],
  ]);
  const few = await write('few.csv', rows(3, 22));
  expect(await told(few)).toMatchObject({ isHeld: true, sentences: [expect.stringContaining('20 rows')] });
  expect(await told(await write('usual.csv', rows(3, ROWS + 5)))).toBeNull();
  expect([flow.sandbox.stats(), await newestRun(flow)]).toEqual([before, runs]);

  expect((await flow.onboard(['run', '--job-file', definition, renamed])).exitCode).toBe(2);
  expect((await statusOf(flow, await newestRun(flow))).problem).toBe(sentences.join(' '));
  // Also of a file that waits.
  expect(await told(renamed)).toEqual({ isHeld, sentences });
});

test('a check of a file in an inbox compares it with those that came through it', async () => {
  const flow = await startFlow();
  const jobs = await makeFolder(flow, 'jobs');
  const inbox = await makeFolder(flow, 'inbox/partner-x');
  const env = { ONBOARD_JOBS: jobs };
  await writeFile(join(jobs, 'portfolio.yaml'), `${JOB}files: partner-x/*.csv\n`);
  const put = async (name: string, lines: readonly string[]) => {
    const path = join(inbox, name);
    await writeFile(path, `externalId,details.name\n${lines.join('\n')}\n`);
    return path;
  };
  const take = ['start', '--once', '--rest', '0.1'];
  for (const from of [1, 3]) {
    await put(`${from}.csv`, rows(from, from + ROWS));
    expect((await flow.onboard(take, env)).exitCode).toBe(0);
  }
  const path = await put('3.csv', rows(3, ROWS + 4, 'KX'));
  const { stdout } = await flow.onboard(['check', 'portfolio', path, '--json'], env);
  expect(JSON.parse(stdout).unusual).toMatchObject({ isHeld: true });
});

test('a file with other columns than those before it is held once, and its columns are named', async () => {
  const flow = await startFlow();
  await twice(flow);
  const definition = await flow.file('portfolio.yaml', `${JOB}ignore: [Fax]\n`);
  const load = async (name: string, from: number) => {
    const lines = rows(from, from + ROWS).map((line) => `${line},1`);
    const text = `externalId,details.name,Fax\n${lines.join('\n')}\n`;
    return flow.onboard(['run', '--job-file', definition, await flow.file(name, text)]);
  };
  const november = await load('november.csv', 3);
  const sentence = 'It has other columns than the files before it: new are "Fax".';
  expect([november.exitCode, november.stdout.replaceAll(/\s+/g, ' ')]).toEqual([
    2,
    expect.stringContaining(sentence),
  ]);
  expect((await flow.onboard(['resume', await newestRun(flow), '--yes'])).exitCode).toBe(0);
  expect((await load('december.csv', 4)).exitCode).toBe(0);
  // The columns of before are known, too.
  expect((await deliver(flow, 'january', rows(5, ROWS + 5))).exitCode).toBe(0);
});

test('where files are only told of, other columns are told of once', async () => {
  const flow = await startFlow();
  const job = `${JOB}unusual: warn\n`;
  await twice(flow, job);
  const load = async (name: string, from: number) => {
    const definition = await flow.file('portfolio.yaml', `${job}ignore: [Fax]\n`);
    const lines = rows(from, from + ROWS).map((line) => `1,${line}`);
    const file = await flow.file(name, `Fax,externalId,details.name\n${lines.join('\n')}\n`);
    const { exitCode, stderr } = await flow.onboard(['run', '--job-file', definition, file]);
    expect(exitCode).toBe(0);
    return stderr;
  };
  expect(await load('november.csv', 3)).toContain('new are "Fax"');
  expect(await load('december.csv', 4)).not.toContain('other columns');
});
