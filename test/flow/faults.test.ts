import { describe, expect, test } from 'vitest';
import { noOutcomes } from '../../src/model/outcome.ts';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';
import { newestRun, statusOf, summaryFrom } from '../support/run-control.ts';
import { serveHttp } from '../support/server.ts';
import { until } from '../support/until.ts';

const quick = (over = '') => createJob(`timeoutSeconds: 2, concurrency: 5, attempts: 3${over}`);

/** How it is lost, and whether the entity was made. */
const LOST = [
  ['reset-after-create', true],
  ['hang', true],
  ['hang-before', false],
  ['500-after-create', true],
  ['500', false],
  ['303-after-create', true],
  ['cut-answer', true],
  ['not-json', true],
  ['no-id', true],
  ['503', false],
  ['503-after-create', true],
  ['reset-before', false],
] as const;

test('an answer that is lost, whatever took it away: the row is in doubt, sent once, and nothing is made twice', async () => {
  const keys = LOST.map(([fault]) => `lost-${fault}.`);
  const flow = await startFlow({ faults: LOST.map(([fault], i) => `${fault}=always;key=${keys[i]}`) });
  const job = await flow.file('j.yaml', quick());
  // Rows that go through come between: ten failures in a row would be an outage.
  const lines = keys.flatMap((key, i) => [
    `${key},Lost ${i} Ltd`,
    `K${i},One ${i} Ltd`,
    `L${i},Two ${i} Ltd`,
  ]);
  const file = await flow.file('a.csv', ['externalId,details.name', ...lines, ''].join('\n'));
  const { exitCode, summary } = await flow.run(['--job-file', job, file]);
  expect(exitCode).toBe(5);
  expect(summary.outcomes).toMatchObject({ created: 2 * LOST.length, 'in-doubt': LOST.length });
  const { requests, duplicateKeys } = flow.sandbox.stats();
  const posts = Object.values(requests['subclient.create'] ?? {}).reduce((a, b) => a + b, 0);
  expect([posts, duplicateKeys]).toEqual([lines.length, 0]);
  const results = await flow.results(summary);
  expect(results.filter(({ outcome }) => outcome === 'in-doubt').map(({ key }) => key)).toEqual(keys);
  const made = new Set([...flow.sandbox.entities('subclient')].map(({ key }) => key));
  expect(keys.filter((key) => made.has(key))).toEqual(keys.filter((_, i) => LOST[i]?.[1]));
  expect(made.size).toBe(2 * LOST.length + LOST.filter(([, isMade]) => isMade).length);
  const inDoubt = await flow.report(summary, 'in-doubt.csv');
  expect(inDoubt.split('\n')[0]).toMatch(/,onboard_message,onboard_resolution$/);
  for (const [i, key] of keys.entries()) expect(inDoubt).toContain(`${key},Lost ${i} Ltd`);
  // When each was sent is said where somebody looks for it.
  const began = Date.parse(summary.startedAt ?? '');
  const times = [...inDoubt.matchAll(/; sent at (\S+?Z)/g)].map(([, at = '']) => Date.parse(at));
  expect(times).toHaveLength(keys.length);
  for (const at of times) expect(at >= began - 100 && at <= Date.now()).toBe(true);
});

test('a row in doubt has the id that the service gave its request, by the header that the job names', async () => {
  const url = await serveHttp((request, response) => {
    request.resume();
    response.writeHead(500, { 'x-request-id': 'r-17' }).end();
  });
  const flow = await startFlow();
  const job = await flow.file('j.yaml', createJob('requestId: X-Request-Id'));
  const file = await flow.file('a.csv', subclientsCsv(1));
  const { exitCode, summary } = await flow.run(['--job-file', job, file], { MSB_BASE_URL: url });
  expect(exitCode).toBe(5);
  expect(await flow.report(summary, 'in-doubt.csv')).toMatch(/not known; sent at \S+Z; request id r-17"?,/);
});

/** No server of a test gets this port, as it may get one that another has closed. */
const NOWHERE = 'http://127.0.0.1:20399';

test('a service that is not there: a file of one row is told why and where, and so are a worker beside and who asks later', async () => {
  const flow = await startFlow();
  const env = { MSB_BASE_URL: NOWHERE };
  const worker = flow.begin(['work'], env);
  await until(() => worker.said().includes('Working for'));
  const ended = await flow.load(quick(', awayMinutes: 0.1'), subclientsCsv(1), env);
  expect(ended.exitCode).toBe(2);
  expect(ended.summary).toMatchObject({ state: 'paused', reason: 'service-away', pending: 1 });
  const why = 'The service refused the connection. Nothing was sent (ECONNREFUSED).';
  expect(ended.stderr).toContain(`The service at ${NOWHERE}: `);
  expect(ended.stderr).toContain(`No answer came from ${NOWHERE} for too long. ${why}\n`);
  await until(() => worker.said().includes(`The service at ${NOWHERE}: `));
  worker.interrupt();
  await worker.ended;
  const { stdout } = await flow.onboard(['status', ended.summary.run, '--json'], env);
  expect(JSON.parse(stdout)).toMatchObject({ service: { cause: why } });
  const overview = await flow.onboard(['status'], { MSB_BASE_URL: 'https://other.example.com' });
  expect(overview.stdout).toContain('For https://other.example.com:\nService: no outage known\nFor ');
  const [, own] = overview.stdout.split(`For ${NOWHERE}:\nService: `);
  expect(own).toMatch(/^[^\n]*The service refused the connection/);
  expect(own).toContain(`Runs that are not over:\n  ${ended.summary.run}: paused (service-away)`);
});

test('an address at which nothing ever answered is told at once, and has a run, without a terminal too, pause after 30 s', async () => {
  const flow = await startFlow();
  const file = await flow.file('a.csv', subclientsCsv(1));
  const run = flow.begin(['run', 'subclients-create', file], { MSB_BASE_URL: NOWHERE });
  const due = () => / run pauses at (\d\d):(\d\d):(\d\d) UTC/.exec(run.said());
  await until(() => due() !== null);
  const [, h = '', m = '', s = ''] = due() ?? [];
  const inDay = (3_600 * Number(h) + 60 * Number(m) + Number(s)) * 1_000;
  const DAY_MS = 86_400_000;
  run.interrupt();
  expect((await run.ended).exitCode).toBe(4);
  const { startedAt } = await statusOf(flow, await newestRun(flow));
  expect((inDay - (Date.parse(startedAt ?? '') % DAY_MS) + DAY_MS) % DAY_MS).toBeLessThan(40_000);
});

describe('credentials and permission', () => {
  test('an expired token with a new one in its file: the run goes on by itself', async () => {
    const flow = await startFlow({ tokens: ['one', 'two'] });
    flow.sandbox.revoke('one');
    const tokens = await flow.file(
      'command.sh',
      `f=${flow.home}/asked; if [ -e $f ]; then echo two; else touch $f; echo one; fi\n`,
    );
    const env = { MSB_TOKEN: '', MSB_TOKEN_COMMAND: `sh ${tokens}` };
    const { exitCode, summary } = await flow.load('subclients-create', subclientsCsv(50), env);
    expect([exitCode, summary.outcomes.created]).toEqual([0, 50]);
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 50 }, duplicateKeys: 0 });
  });

  test('a token that is refused in the middle of a run pauses it with no row burned, a worker beside it; with a good one it goes on', async () => {
    const flow = await startFlow({ tokens: ['one', 'two'], faults: ['latency=300ms'] });
    const file = await flow.file('a.csv', subclientsCsv(1200));
    const worker = flow.begin(['work'], { MSB_TOKEN: 'one' });
    const running = flow.run(['subclients-create', file], { MSB_TOKEN: 'one' });
    await until(() => flow.sandbox.stats().made.subclients > 50);
    flow.sandbox.revoke('one');
    const paused = await running;
    const created = flow.sandbox.stats().made.subclients;
    expect(paused).toMatchObject({ exitCode: 2, summary: { state: 'paused', reason: 'credentials' } });
    expect(paused.summary.outcomes).toEqual({ ...noOutcomes(), created });
    expect(paused.stderr).toContain('onboard run subclients-create');
    worker.interrupt();
    await worker.ended;
    flow.sandbox.setFaults([]);
    const resumed = await flow.run(['subclients-create', file], { MSB_TOKEN: 'two' });
    expect(resumed).toMatchObject({
      exitCode: 0,
      summary: { run: paused.summary.run, outcomes: { created: 1200 } },
    });
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 1200 }, duplicateKeys: 0 });
  });

  test('a missing permission pauses the run; the rows refused stay denied, and a rerun sends them again', async () => {
    const flow = await startFlow({ faults: ['403=always'] });
    const paused = await flow.load(createJob('concurrency: 5'), subclientsCsv(150));
    const { run, outcomes } = paused.summary;
    expect(paused).toMatchObject({ exitCode: 2, summary: { state: 'paused', reason: 'permission' } });
    // The two before the third, and what was in flight with it. On a busy machine the five that go ahead may all end before the pause is
    // recorded: then others follow, and are counted anew.
    expect(outcomes.denied).toBeGreaterThanOrEqual(3);
    expect(outcomes.denied).toBeLessThanOrEqual(5 + 7);
    expect(outcomes).toEqual({ ...noOutcomes(), denied: outcomes.denied });
    const [refused] = (await flow.results(paused.summary)).filter(({ outcome }) => outcome === 'denied');
    expect(refused?.advice).toContain('`onboard rerun RUN --only denied`');
    flow.sandbox.setFaults([]);
    const resumed = await summaryFrom(flow, ['resume', run]);
    const created = 150 - outcomes.denied;
    expect(resumed).toMatchObject({ exitCode: 1, summary: { run, outcomes: { ...outcomes, created } } });
    const again = await summaryFrom(flow, ['rerun', run, '--only', 'denied']);
    expect(again).toMatchObject({ exitCode: 0, summary: { outcomes: { created: outcomes.denied } } });
    expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: 150 }, duplicateKeys: 0 });
  });
});
