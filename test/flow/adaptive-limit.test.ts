import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createJob, startFlow, subclientsCsv, withSummary } from '../support/flow.ts';
import { serveHttp } from '../support/server.ts';
import { until } from '../support/until.ts';

/** So long that a slow machine, too, sends as many as have to be in flight. */
const ANSWER_MS = 150;
const AT_ONCE = 20;
const CEILING = 100;
const ROWS = 1000;

/** A service that works on twenty requests at once, and refuses more. */
async function startLimitedService() {
  const presence = createPresence();
  const counts = { inHand: 0, carriedOut: 0, refused: 0 };
  const bodies = new Set<string>();
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await text(incoming);
    if (counts.inHand >= AT_ONCE) {
      counts.refused += 1;
      outgoing.writeHead(429).end();
      return;
    }
    counts.inHand += 1;
    bodies.add(body);
    await delay(ANSWER_MS);
    counts.carriedOut += 1;
    counts.inHand -= 1;
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end(`{"id":"sub-${counts.carriedOut}"}`);
  };
  const url = await serveHttp((incoming, outgoing) => {
    presence.comes();
    outgoing.once('close', presence.goes);
    void answer(incoming, outgoing);
  });
  return { url, counts, bodies, meanInFlight: presence.mean };
}

/** How many requests were there, waiting or worked on, and since when. */
function createPresence() {
  const changes = [{ at: performance.now(), there: 0 }];
  const change = (by: number) => {
    changes.push({ at: performance.now(), there: (changes.at(-1)?.there ?? 0) + by });
  };
  return {
    comes: () => change(1),
    goes: () => change(-1),
    mean(from: number, to: number): number {
      const area = changes.reduce((sum, { at, there }, i) => {
        const until = Math.min(changes[i + 1]?.at ?? to, to);
        return sum + there * Math.max(0, until - Math.max(at, from));
      }, 0);
      return area / (to - from);
    },
  };
}

test('a run that may have a hundred in flight settles near twenty where more are refused, with few refusals, and creates every row once', async () => {
  const flow = await startFlow();
  const { url, counts, bodies, meanInFlight } = await startLimitedService();
  const job = await flow.file('job.yaml', createJob(`concurrency: ${CEILING}`));
  const file = await flow.file('rows.csv', subclientsCsv(ROWS));
  // A process of its own: what the service takes of this one's time must not look like longer answers.
  const args = ['run', '--job-file', job, file, '--json'];
  const run = flow.start(args, { MSB_BASE_URL: url }).ended.then(withSummary);
  await until(() => counts.carriedOut >= 200);
  const from = performance.now();
  await until(() => counts.carriedOut >= 850);
  const mean = meanInFlight(from, performance.now());
  const { exitCode, summary } = await run;
  expect([exitCode, summary.outcomes.created, counts.carriedOut, bodies.size]).toEqual([0, ROWS, ROWS, ROWS]);
  // Halved it is ten; a machine that is busy with something else halves it now and then, too.
  expect(mean).toBeGreaterThan(0.35 * AT_ONCE);
  expect(mean).toBeLessThan(2 * AT_ONCE);
  expect(counts.refused).toBeLessThan(0.1 * ROWS);
});
