import { writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { type Flow, keysOf, startFlow, subclientsCsv } from '../../support/flow.ts';
import { newestRun, statusOf, summaryFrom } from '../../support/run-control.ts';
import { until } from '../../support/until.ts';
import { createDice } from '../support/seed.ts';
import { TIMES } from '../support/times.ts';
import { assertTruth } from '../support/truth.ts';

export type TakenAwayOptions = {
  readonly what: 'token' | 'permission';
  readonly rows: number;
  readonly workers: number;
  readonly seed: number;
};

/** `send.concurrency` of the job: what one process may have on the wire. */
const CONCURRENCY = 20;
const FAULTS = ['latency=30ms±20ms'];

/** A token or a permission is taken away in the middle of a run with workers beside it, which pauses, and is gone on with when it is back. */
export async function takenAway({ what, rows, workers, seed }: TakenAwayOptions): Promise<void> {
  const flow = await startFlow({ times: TIMES, tokens: ['token-1', 'token-2'], faults: FAULTS });
  const tokenFile = await flow.file('token', 'token-1\n');
  const env = { MSB_TOKEN: '', MSB_TOKEN_FILE: tokenFile };
  const args = ['run', 'subclients-create', await flow.file('a.csv', subclientsCsv(rows)), '--json'];
  const run = flow.start(args, env);
  const beside = Array.from({ length: workers }, () => flow.start(['work'], env));
  const due = rows * (0.1 + 0.5 * createDice(seed).next());
  await until(() => flow.sandbox.stats().made.subclients >= due);
  if (what === 'token') flow.sandbox.revoke('token-1');
  else flow.sandbox.setFaults([...FAULTS, '403=always']);
  expect((await run.ended).exitCode).toBe(2);
  const id = await newestRun(flow);
  const { state, reason, outcomes } = await statusOf(flow, id);
  expect([state, reason]).toEqual(['paused', what === 'token' ? 'credentials' : 'permission']);
  const { denied, failed, 'in-doubt': doubted } = outcomes;
  expect([failed, doubted]).toEqual([0, 0]);
  if (what === 'token') expect(denied).toBe(0);
  expect(refusals(flow)).toBeLessThanOrEqual((3 * CONCURRENCY + 2) * (1 + workers));

  await writeFile(tokenFile, 'token-2\n');
  flow.sandbox.setFaults(FAULTS);
  const resumed = await summaryFrom(flow, ['resume', id], env);
  const left = resumed.summary.outcomes.denied;
  expect([resumed.exitCode, resumed.summary.outcomes.created]).toEqual([left === 0 ? 0 : 1, rows - left]);
  await assertTruth({ sandbox: flow.sandbox, home: flow.home, summary: resumed.summary, keys: keysOf(rows) });
  if (left > 0) {
    const rerun = await summaryFrom(flow, ['rerun', id, '--only', 'denied'], env);
    expect([rerun.exitCode, rerun.summary.outcomes.created]).toEqual([0, left]);
  }
  for (const { child } of beside) child.kill('SIGTERM');
  await Promise.all(beside.map((each) => each.ended));
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: rows }, duplicateKeys: 0 });
  process.stderr.write(
    `taken-away ${JSON.stringify({ what, rows, workers, seed, denied: left, refused: refusals(flow) })}\n`,
  );
}

function refusals(flow: Flow): number {
  const { 401: unknown = 0, 403: forbidden = 0 } = flow.sandbox.stats().requests['subclient.create'] ?? {};
  return unknown + forbidden;
}
