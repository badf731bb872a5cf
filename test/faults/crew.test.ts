import { expect, test } from 'vitest';
import { until } from '../support/until.ts';
import { allSend, startCrew } from './support/crew.ts';
import { assertTruth } from './support/truth.ts';

const FAULTS = ['latency=120ms'];

test('two processes whose connections to Redis and to the service are all cut once: the report stays true', async () => {
  const crew = await startCrew({
    rows: 1500,
    homes: 'each',
    sandbox: { faults: FAULTS },
    proxyRedis: true,
    proxyService: true,
  });
  const { flow, keys, members, serviceProxy } = crew;
  await allSend(crew, FAULTS);
  await until(() => members.every((member) => member.requests() > 50));
  for (const { redisProxy } of members) redisProxy?.cut();
  serviceProxy?.cut();
  const { summary } = await crew.finished;
  const { inDoubtMade, inDoubtNotMade } = await assertTruth({
    sandbox: flow.sandbox,
    home: flow.home,
    summary,
    keys,
  });
  expect(inDoubtMade + inDoubtNotMade).toBeLessThanOrEqual(40);
  for (const { redisProxy } of members) expect(redisProxy?.connections().accepted).toBeGreaterThan(1);
  expect(serviceProxy?.connections().accepted).toBeGreaterThan(40);
});
