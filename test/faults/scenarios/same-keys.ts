import { expect } from 'vitest';
import { createJob, keysOf, startFlow, withSummary } from '../../support/flow.ts';
import { until } from '../../support/until.ts';
import { killedPair, PAIR_TOKENS } from '../support/killing.ts';
import { sharedKeyProblems } from '../support/kinds-untruths.ts';
import { createDice } from '../support/seed.ts';
import { TIMES } from '../support/times.ts';
import { duplicateProblems } from '../support/truth.ts';

export type SameKeysOptions = {
  readonly rows: number;
  readonly kills: number;
  readonly requestsMax: number;
  readonly latencyMs: number;
  readonly seed: number;
};

/** The first answers let the other file begin. */
const FIRST_MS = 2_500;

/** The canary is what a file claims at first: the rest when these rows have their outcomes. */
const JOB = createJob('concurrency: 10, canary: 20');

/** Two files with the same keys, one in the other's reverse order, go at the same time, each by a process that is killed in turns with the other. */
export async function sameKeys(options: SameKeysOptions) {
  const { rows, kills, requestsMax, latencyMs, seed } = options;
  const flow = await startFlow({
    times: TIMES,
    tokens: PAIR_TOKENS,
    recordRequests: 4 * rows,
    faults: [`latency=${FIRST_MS}ms`],
  });
  const job = await flow.file('job.yaml', JOB);
  const keys = keysOf(rows);
  const csv = (all: readonly string[], word: string) =>
    ['externalId,details.name', ...all.map((key) => `${key},${word} ${key} Ltd`), ''].join('\n');
  const files = [
    await flow.file('one.csv', csv(keys, 'Company')),
    await flow.file('other.csv', csv(keys.toReversed(), 'Firm')),
  ] as const;
  const command = (file: string) => ['run', '--job-file', job, file, '--json'];
  const done = await killedPair({
    flow,
    commands: [command(files[0]), command(files[1])],
    kills,
    requestsMax,
    dice: createDice(seed),
    async begin() {
      // Either process sends rows of both.
      const isSent = (word: string) => flow.sandbox.requests().some(({ body }) => body.includes(word));
      await until(() => isSent('Company') && isSent('Firm'));
      flow.sandbox.setFaults([`latency=${latencyMs}ms±${latencyMs}ms`]);
    },
  });
  // A kill may leave every row of a canary in doubt: the run stops, as it has to, and whoever started it goes on.
  const goneOn = done.ended.map((each, i) =>
    withSummary(each).summary.reason === 'canary' ? flow.onboard(command(files[i === 0 ? 0 : 1])) : each,
  );
  const summaries = (await Promise.all(goneOn)).map((each) => withSummary(each).summary);
  const results = await Promise.all(summaries.map(flow.results));
  const report = {
    keys: summaries.map(({ outcomes }) => outcomes.created + outcomes['in-doubt']),
    inDoubt: summaries.reduce((sum, { outcomes }) => sum + outcomes['in-doubt'], 0),
  };
  process.stderr.write(`same-keys ${JSON.stringify({ ...options, ...report })}\n`);
  expect(done.kills, 'the runs ended before all kills were done').toHaveLength(kills);
  for (const summary of summaries)
    expect(summary).toMatchObject({ state: 'finished', rows, controlTotal: { holds: true } });
  expect(duplicateProblems(flow.sandbox.stats())).toEqual([]);
  expect(sharedKeyProblems(results, [...flow.sandbox.entities('subclient', 0)], keys)).toEqual([]);
  return report;
}
