import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { whileSlow } from '../support/while-slow.ts';
import { allSend, redisOf, registered, startCrew, truthOf } from './support/crew.ts';

/** `send.concurrency` of the job; a worker has intents written for as many more at most. */
const IN_FLIGHT_MAX = 2 * 20;

const ROWS = 1200;
const FAULTS = ['latency=400ms'];

/** A worker stands still while Redis is killed and started again, and comes back only when the run is over. */
async function awayAtRestart(homes: 'one' | 'each', before: 'just now' | 'for long') {
  const crew = await startCrew({ rows: ROWS, homes, redis: 'url', sandbox: { faults: FAULTS } });
  const [, worker] = crew.members;
  if (worker === undefined) throw new Error('a crew has a worker');
  await allSend(crew, FAULTS);
  await until(() => worker.requests() >= 60);
  await whileSlow(crew.flow.sandbox, { after: ['latency=5ms'] }, async () => {
    worker.signal('SIGSTOP');
    if (before === 'for long') await until(async () => (await registered(crew)) === 1);
    expect(crew.made(), 'the run was over before').toBeLessThan(ROWS - IN_FLIGHT_MAX);
    await redisOf(crew).kill();
    await redisOf(crew).start();
  });
  await crew.finished;
  worker.signal('SIGCONT');
  await until(async () => (await registered(crew)) === 1);
  const { truth } = await truthOf(crew);
  process.stderr.write(`away-worker ${JSON.stringify({ homes, before, ...truth })}\n`);
  return truth;
}

test('a worker is away while Redis is started again, its journal in the same home, or away for longer than it is taken for alive: only what it had in flight is in doubt', async () => {
  const truths = await Promise.all([awayAtRestart('one', 'just now'), awayAtRestart('each', 'for long')]);
  for (const { inDoubtMade, inDoubtNotMade } of truths) {
    expect(inDoubtMade + inDoubtNotMade).toBeLessThanOrEqual(IN_FLIGHT_MAX);
  }
});
