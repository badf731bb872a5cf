import { expect, test } from 'vitest';
import { startFlow, subclientsCsv } from '../support/flow.ts';
import { statusOf, summaryFrom } from '../support/run-control.ts';
import { until } from '../support/until.ts';

const PAUSED = { state: 'paused', reason: 'service-hold' };
const ROWS = 120;

test('a Retry-After of a day pauses each run of the service with the date, until a person lifts it', async () => {
  const flow = await startFlow({ faults: ['429=first:1;retry-after=86400'] });
  const worker = flow.begin(['work']);
  await until(() => worker.said().includes('Working for'));
  const began = Date.now();
  const first = await flow.load('subclients-create', subclientsCsv(ROWS));
  expect([first.exitCode, first.summary]).toEqual([2, expect.objectContaining(PAUSED)]);
  // Midnight may have come meanwhile.
  const [dayOf, dayAfter] = [began, Date.now()].map((at) =>
    new Date(at + 86_400_000).toISOString().slice(0, 10),
  );
  const leftAlone = new RegExp(`asked for a pause until (${dayOf}|${dayAfter}) `);
  expect(first.stderr).toMatch(leftAlone);
  const { made } = flow.sandbox.stats();

  const other = await flow.load('subclients-create', subclientsCsv(5, 'L'));
  expect([other.exitCode, other.summary]).toEqual([2, expect.objectContaining(PAUSED)]);
  const { run } = first.summary;
  const shown = await flow.look(['status', run]);
  expect(shown).toMatch(new RegExp(`Service: ${leftAlone.source}`));
  expect(shown).toContain('To go on once that time has come:');
  expect(await flow.look(['doctor'])).toMatch(new RegExp(`warning  service: ${leftAlone.source}`));
  const refused = await flow.onboard(['resume', run]);
  expect([refused.exitCode, refused.stderr]).toEqual([
    3,
    expect.stringContaining(`onboard resume ${run} --yes`),
  ]);
  expect(await statusOf(flow, run)).toMatchObject(PAUSED);
  expect(flow.sandbox.stats().made).toEqual(made);

  expect((await summaryFrom(flow, ['resume', run, '--yes'])).summary.outcomes.created).toBe(ROWS);
  // Nothing stands in the other run's way any more.
  expect((await summaryFrom(flow, ['resume', other.summary.run])).exitCode).toBe(0);
  expect(flow.sandbox.stats()).toMatchObject({ made: { subclients: ROWS + 5 }, duplicateKeys: 0 });
  worker.interrupt();
  expect((await worker.ended).exitCode).toBe(4);
});
