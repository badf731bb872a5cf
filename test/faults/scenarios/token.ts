import { writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { type Flow, keysOf, startFlow, subclientsCsv } from '../../support/flow.ts';
import { newestRun, statusOf, summaryFrom } from '../../support/run-control.ts';
import { until } from '../../support/until.ts';
import { whileSlow } from '../../support/while-slow.ts';
import { createDice } from '../support/seed.ts';
import { TIMES } from '../support/times.ts';
import { assertTruth } from '../support/truth.ts';

export type TokenOptions = {
  /** `renewed`: a new one is in its file before the old one expires. `missing`: it comes later. */
  readonly kind: 'renewed' | 'missing';
  readonly rows: number;
  readonly workers: number;
  readonly seed: number;
};

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
const FAULTS = ['latency=30ms±20ms'];
/** Beside those in flight: rows that were granted and ready for their places while the news was on its way. */
const IN_FLIGHT_AND_READY = 1.5;

/** The token expires in the middle of a run: with a new one in its file it goes on, without one it waits for that. */
export async function tokenExpires(options: TokenOptions) {
  const { kind, rows, workers, seed } = options;
  const flow = await startFlow({
    times: TIMES,
    tokens: ['token-1', 'token-2'],
    faults: FAULTS,
  });
  const tokenFile = await flow.file('token', 'token-1\n');
  const env = { MSB_TOKEN: '', MSB_TOKEN_FILE: tokenFile };
  const args = ['run', 'subclients-create', await flow.file('a.csv', subclientsCsv(rows)), '--json'];
  const run = flow.start(args, env);
  const beside = Array.from({ length: workers }, () => flow.start(['work'], env));
  const made = () => flow.sandbox.stats().made.subclients;
  const due = rows * (0.1 + 0.5 * createDice(seed).next());
  await until(() => made() >= due);
  if (kind === 'renewed') {
    const slowly = { after: FAULTS, latency: '200ms' };
    await whileSlow(flow.sandbox, slowly, () => writeFile(tokenFile, 'token-2\n'));
  }
  const madeBefore = made();
  flow.sandbox.revoke('token-1');
  const ended = await run.ended;
  const refused = refusals(flow);
  if (kind === 'missing')
    expect([ended.exitCode, ended.stderr]).toEqual([2, expect.stringContaining('token')]);
  else expect(ended.exitCode).toBe(0);
  expect(refused).toBeGreaterThan(0);
  expect(refused).toBeLessThanOrEqual(IN_FLIGHT_AND_READY * CONCURRENCY * (1 + workers));
  await finish(flow, { ...options, env, tokenFile });
  for (const { child } of beside) child.kill('SIGTERM');
  await Promise.all(beside.map((each) => each.ended));
  const report = { madeBefore, refused, refusedInAll: refusals(flow) };
  process.stderr.write(`token ${JSON.stringify({ ...options, ...report })}\n`);
  // Who was refused once may ask once more with what it had: it does not know better.
  expect(report.refusedInAll).toBeLessThanOrEqual(refused + CONCURRENCY * workers);
  return report;
}

/** The permission is taken away in the middle of a run, which pauses; what was refused is sent again by a rerun. */
export async function permissionGoes({ rows, workers, seed }: Omit<TokenOptions, 'kind'>): Promise<void> {
  const flow = await startFlow({ times: TIMES, faults: FAULTS });
  const run = flow.start([
    'run',
    'subclients-create',
    await flow.file('a.csv', subclientsCsv(rows)),
    '--json',
  ]);
  const beside = Array.from({ length: workers }, () => flow.start(['work']));
  const due = rows * (0.1 + 0.5 * createDice(seed).next());
  await until(() => flow.sandbox.stats().made.subclients >= due);
  flow.sandbox.setFaults([...FAULTS, '403=always']);
  expect((await run.ended).exitCode).toBe(2);
  const id = await newestRun(flow);
  expect(await statusOf(flow, id)).toMatchObject({ state: 'paused', reason: 'permission' });
  flow.sandbox.setFaults(FAULTS);
  const resumed = await summaryFrom(flow, ['resume', id]);
  const { denied, ...others } = resumed.summary.outcomes;
  expect([resumed.exitCode, others]).toEqual([1, expect.objectContaining({ created: rows - denied })]);
  expect(denied).toBeGreaterThanOrEqual(3);
  // Before the last success that was in flight, two may be denied for each; then two, and what is in flight with the third.
  expect(denied).toBeLessThanOrEqual((3 * CONCURRENCY + 2) * (1 + workers));
  const { exitCode, summary } = await summaryFrom(flow, ['rerun', id, '--only', 'denied']);
  expect([exitCode, summary.outcomes.created]).toEqual([0, denied]);
  for (const { child } of beside) child.kill('SIGTERM');
  await Promise.all(beside.map((each) => each.ended));
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: rows }, duplicateKeys: 0 });
  process.stderr.write(`permission ${JSON.stringify({ rows, workers, seed, denied })}\n`);
}

type Finish = TokenOptions & { readonly env: Readonly<Record<string, string>>; readonly tokenFile: string };

/** The run comes to its end, after a resume where it was paused: each row was sent once with a good token. */
async function finish(flow: Flow, { kind, rows, env, tokenFile }: Finish): Promise<void> {
  const id = await newestRun(flow);
  if (kind === 'missing') {
    const { state, reason, outcomes } = await statusOf(flow, id);
    expect([state, reason]).toEqual(['paused', 'credentials']);
    expect(outcomes).toMatchObject({ denied: 0, failed: 0, rejected: 0, 'in-doubt': 0 });
    await writeFile(tokenFile, 'token-2\n');
  }
  const command = kind === 'missing' ? ['resume', id] : ['run', 'subclients-create', `${flow.home}/a.csv`];
  const { exitCode, summary } = await summaryFrom(flow, command, env);
  expect([exitCode, summary.run, summary.outcomes.created]).toEqual([0, id, rows]);
  const keys = keysOf(rows);
  await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary, keys });
  const { requests } = flow.sandbox.stats();
  expect(requests['subclient.create']?.['200']).toBe(rows);
}

function refusals(flow: Flow): number {
  return flow.sandbox.stats().requests['subclient.create']?.['401'] ?? 0;
}
