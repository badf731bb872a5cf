import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { eventBody } from '../../src/faces/notify/event.ts';
import { noOutcomes } from '../../src/model/outcome.ts';
import type { Run } from '../../src/model/run.ts';
import { runEvents, tellEvents } from '../../src/runs/events.ts';
import { type Summary, summarize } from '../../src/runs/report/summary.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { ownFolder } from '../support/folder.ts';
import { useOwnRedis } from '../support/redis.ts';
import { openTestSession } from '../support/session.ts';
import { lose, setBreaker } from '../support/stored.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();
const EVERY_MS = 20;

const bodySchema = z.object({ type: z.string(), data: z.looseObject({}) });

/** A session whose events are kept in a file. */
async function startBench() {
  const out = join(await ownFolder(), 'out');
  await writeFile(out, '');
  const env = { ONBOARD_NOTIFY_COMMAND: `cat >> ${out}`, ONBOARD_WEB_ORIGIN: 'https://onboard.example.com' };
  const session = await openTestSession(own(), atTestEnd, env);
  const told = async () => {
    const lines = (await readFile(out, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => bodySchema.parse(JSON.parse(line)));
  };
  return { session, keys: session.ledger.of(session.service.target).keys, told };
}

const ENDED = { createdAt: '2026-11-21T03:00:00.000Z', startedAt: '2026-11-21T03:00:00.000Z', chunks: 1 };
const FINISHED = {
  ...ENDED,
  state: 'finished',
  closedChunks: 1,
  finishedAt: '2026-11-21T04:00:00.000Z',
} as const;
const PAUSED_AT = Date.parse('2026-11-21T03:50:00.000Z');
const PAUSED = {
  ...ENDED,
  state: 'paused',
  reason: 'service-away',
  finishedAt: null,
  movedAt: PAUSED_AT,
} as const;
const CREATED = { ...noOutcomes(), created: 8, rejected: 2 };
const IN_DOUBT = { ...noOutcomes(), created: 8, 'in-doubt': 2 };
const PLACE = { report: '/reports/k3f9', url: null };

function eventsOf(
  given: Partial<Run>,
  summary: Partial<Summary> = {},
  place: Parameters<typeof runEvents>[1] = PLACE,
) {
  const run = sampleRun({
    id: '20261121-034512-k3f9',
    job: 'partner-x',
    rows: 10,
    outcomes: CREATED,
    ...given,
  });
  return runEvents({ run, summary: { ...summarize(run, new Date()), ...summary } }, place);
}

describe('what a run has come to is told', () => {
  test.each<[string, Partial<Run>, readonly string[]]>([
    ['finished', FINISHED, ['run.finished']],
    ['finished with rows in doubt', { ...FINISHED, outcomes: IN_DOUBT }, ['run.finished', 'rows.in_doubt']],
    ['paused', PAUSED, ['run.paused']],
    ['paused with rows in doubt', { ...PAUSED, outcomes: IN_DOUBT }, ['run.paused', 'rows.in_doubt']],
    ['paused until its window opens', { ...PAUSED, reason: 'window' }, []],
    ['stopped', { ...PAUSED, state: 'stopped', reason: 'error-limit' }, ['run.stopped']],
    ['cancelled and wound up', { ...FINISHED, state: 'cancelled' }, ['run.cancelled']],
    ['cancelled, with rows without an outcome', { ...FINISHED, state: 'cancelled', closedChunks: 0 }, []],
    ['running', { ...PAUSED, state: 'running', reason: null }, []],
    ['queued', { ...PAUSED, state: 'queued', reason: null }, []],
  ])('%s', (_, given, types) => {
    expect(eventsOf(given).map(({ type }) => type)).toEqual(types);
  });

  test('with its numbers, its causes without words of the service, and where its report lies', () => {
    const url = 'https://onboard.example.com';
    const cause = {
      outcome: 'rejected' as const,
      code: 'rejected',
      text: '@details.name of Jane Doe is missing',
      fields: ['details.name'],
      quoted: true,
      issues: [],
      count: 2,
      rows: [2],
    };
    const summary = { files: ['results.csv'], causes: [cause] };
    const [event] = eventsOf(FINISHED, summary, { ...PLACE, url });
    expect(event?.at).toEqual(new Date(FINISHED.finishedAt));
    expect(event?.data).toEqual({
      run: '20261121-034512-k3f9',
      job: 'partner-x',
      target: expect.any(String),
      state: 'finished',
      reason: null,
      rows: 10,
      outcomes: { created: 8, rejected: 2 },
      pending: 0,
      controlTotal: true,
      exitCode: 1,
      causes: [{ text: '@details.name', count: 2 }],
      report: '/reports/k3f9',
      url: `${url}/runs/20261121-034512-k3f9`,
      api: `${url}/api/runs/20261121-034512-k3f9`,
    });
  });

  test('without a report that is not written, and with how many rows are in doubt', () => {
    const [end, doubt] = eventsOf({ ...FINISHED, outcomes: IN_DOUBT });
    expect(end?.data.report).toBeNull();
    const about = { run: '20261121-034512-k3f9', job: 'partner-x', target: 'https://api.example.com' };
    expect(doubt?.data).toEqual({ ...about, inDoubt: 2 });
  });

  test('in less than 20 kB, however many causes there are', () => {
    const causes = Array.from({ length: 1_000 }, (_, i) => ({
      outcome: 'failed' as const,
      code: 'http_404',
      text: '€'.repeat(5_000),
      fields: [],
      quoted: false,
      issues: [],
      count: i,
      rows: [],
    }));
    const [event] = eventsOf(FINISHED, { causes });
    if (event === undefined) throw new Error('nothing is told');
    expect(Buffer.byteLength(eventBody(event))).toBeLessThan(20_000);
  });
});

const idsOf = (given: Partial<Run>) => eventsOf(given).map(({ id }) => id);

test('the id of what a run has come to is another at each pause, and the same for its rows in doubt', () => {
  const [first, same, second] = [PAUSED_AT, PAUSED_AT, PAUSED_AT + 1].map((movedAt) =>
    idsOf({ ...PAUSED, movedAt, outcomes: IN_DOUBT }),
  );
  expect(same).toEqual(first);
  expect(second?.[0]).not.toBe(first?.[0]);
  expect(second?.[1]).toBe(first?.[1]);
});

test('an outage is told once it has lasted for a minute, and its end', async () => {
  const { session, keys, told } = await startBench();
  const { redis } = session.ledger;
  const since = Date.now();
  const looks = async () => {
    const calls = /cmdstat_hgetall:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1];
    return Number(calls ?? 0);
  };
  await setBreaker(redis, keys, { since, until: since + 1_000, failures: 12, cause: 'Connection refused' });
  await tellEvents(session, EVERY_MS);
  const before = await looks();
  await until(async () => (await looks()) > before + 2);
  await setBreaker(redis, keys, { since: since - 61_000 });
  await until(async () => (await told()).length === 1);
  await lose(redis, keys.breaker);
  await until(async () => (await told()).length === 2);
  const iso = new Date(since - 61_000).toISOString();
  expect(await told()).toMatchObject([
    { type: 'onboard.service.away', data: { since: iso, cause: 'Connection refused' } },
    { type: 'onboard.service.back', data: { since: iso } },
  ]);
});
