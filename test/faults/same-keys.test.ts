import { expect, test } from 'vitest';
import { createJob, withSummary } from '../support/flow.ts';
import { until } from '../support/until.ts';
import { prepareCrew } from './support/crew.ts';
import { killLoop } from './support/killing.ts';
import { sharedKeyProblems } from './support/kinds-untruths.ts';
import { createDice, SEED, shareOf } from './support/seed.ts';
import { LONG, TIMEOUT_MS } from './support/times.ts';
import { duplicateProblems } from './support/truth.ts';

const [ROWS, KILLS] = LONG ? [shareOf(3_000), shareOf(20)] : [200, 2];
/** A process dies after 1 to this many requests. */
const REQUESTS_MAX = LONG ? 60 : 20;
const LATENCY_MS = LONG ? 100 : 250;
/** The first answers let the other file begin. */
const FIRST_MS = 2_500;

/** The canary is what a file claims at first: the rest when these rows have their outcomes. */
const JOB = createJob('concurrency: 10, canary: 20');

test(
  `two files with the same ${ROWS} keys, one in the other's reverse order, at the same time, their processes killed ${KILLS} times in turns: each key is made once (seed ${SEED})`,
  async () => {
    const sandbox = { recordRequests: 4 * ROWS, faults: [`latency=${FIRST_MS}ms`] };
    const { flow, keys, start } = await prepareCrew({ rows: ROWS, homes: 'one', sandbox });
    const job = await flow.file('job.yaml', JOB);
    const csv = (all: readonly string[], word: string) =>
      ['externalId,details.name', ...all.map((key) => `${key},${word} ${key} Ltd`), ''].join('\n');
    const files = [
      await flow.file('one.csv', csv(keys, 'Company')),
      await flow.file('other.csv', csv(keys.toReversed(), 'Firm')),
    ];
    const commands = files.map((file) => ['run', '--job-file', job, file, '--json']);
    const { members: victims } = await start(commands);
    const over = Promise.all(victims.map(({ ownEnd }) => ownEnd));
    // Either process sends rows of both.
    const isSent = (word: string) => flow.sandbox.requests().some(({ body }) => body.includes(word));
    await until(() => isSent('Company') && isSent('Firm'));
    flow.sandbox.setFaults([`latency=${LATENCY_MS}ms±${LATENCY_MS}ms`]);
    const loop = { victims, over, requestsMax: REQUESTS_MAX, dice: createDice(SEED) };
    const kills = await killLoop({ ...loop, kills: KILLS });
    // What is left only has to come to an end.
    flow.sandbox.setFaults(['latency=20ms']);
    // A kill may leave every row of a canary in doubt: the run stops, as it has to, and whoever started it goes on.
    const goneOn = (await over).map((each, i) =>
      withSummary(each).summary.reason === 'canary' ? flow.onboard(commands[i] ?? []) : each,
    );
    const summaries = (await Promise.all(goneOn)).map((each) => withSummary(each).summary);
    const results = await Promise.all(summaries.map(flow.results));
    process.stderr.write(`same-keys ${JSON.stringify(summaries.map(({ outcomes }) => outcomes))}\n`);
    expect(kills, 'the runs ended before all kills were done').toBe(KILLS);
    for (const summary of summaries)
      expect(summary).toMatchObject({ state: 'finished', rows: ROWS, controlTotal: { holds: true } });
    expect(duplicateProblems(flow.sandbox.stats())).toEqual([]);
    expect(sharedKeyProblems(results, [...flow.sandbox.entities('subclient', 0)], keys)).toEqual([]);
    for (const { outcomes } of summaries) expect(outcomes.created + outcomes['in-doubt']).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
