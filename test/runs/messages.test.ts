import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createOutbox } from '../../src/ledger/outbox.ts';
import type { Channel } from '../../src/notify/channel.ts';
import { openWebhook } from '../../src/notify/webhook.ts';
import { summarize } from '../../src/report/summary.ts';
import { createLook, createSend } from '../../src/runs/messages.ts';
import { startReceiver } from '../notify/receiver.ts';
import { atTestEnd } from '../support/at-test-end.ts';
import { useOwnRedis } from '../support/redis.ts';
import { newRun } from '../support/runs.ts';
import { knownRun, openTestSession, type TestSession } from '../support/session.ts';
import { until } from '../support/until.ts';

const own = useOwnRedis();
const LONG_AGO_MS = 3 * 60_000;

const bodySchema = z.object({
  type: z.string(),
  timestamp: z.iso.datetime(),
  data: z.looseObject({ run: z.string().optional() }),
});
type Told = z.infer<typeof bodySchema>;

/** A channel that keeps what it is told. */
function keeping(told: Told[]): Channel {
  return {
    name: 'webhook',
    pausesMs: [],
    leaseMs: 60_000,
    async tell({ body }) {
      told.push(bodySchema.parse(JSON.parse(body)));
      return { kind: 'told' };
    },
  };
}

async function startBench(env: Readonly<Record<string, string>> = {}) {
  const opened = await openTestSession(own(), atTestEnd);
  const session = { ...opened, io: { ...opened.io, env: { ...opened.io.env, ...env } } };
  const told: Told[] = [];
  const channels = [keeping(told)];
  const { keys } = session.ledger.of(session.service.target);
  const outbox = createOutbox(session.ledger.redis, keys);
  // From here on events are wanted.
  await outbox.since();
  const process = () => createLook({ session, outbox, channels, news: {}, onPut: () => undefined });
  const send = createSend({ session, outbox, channels });
  const look = process();
  return {
    session,
    keys,
    outbox,
    told,
    process,
    /** One look of a process, and what is due sent. */
    async look() {
      await look();
      await send();
    },
  };
}

/** A run of two rows that came to that state; answers its id. */
async function endedRun(
  { store, ledger, service }: TestSession,
  {
    to = 'finished',
    outcomes = { 'o:created': 1, 'o:rejected': 1 },
    reason = null,
    agoMs = LONG_AGO_MS,
  }: {
    readonly to?: 'finished' | 'paused';
    readonly outcomes?: Record<string, number>;
    readonly reason?: 'window' | 'service-away' | null;
    readonly agoMs?: number;
  } = {},
) {
  const { record } = ledger.of(service.target).keys.run('x');
  const run = newRun({ rows: 2, target: service.target });
  await store.register(run);
  await store.transition(run.id, 'running', null);
  await store.transition(run.id, to, reason);
  const at = Date.now() - agoMs;
  const times = { movedAt: at, ...(to === 'finished' && { finishedAt: new Date(at).toISOString() }) };
  await ledger.redis.hset(record.replace(/x$/, run.id), { ...outcomes, ...times });
  return run.id;
}

/** Writes the report's summary as the process that followed the run does. */
async function writeReport(session: TestSession, id: string) {
  const run = await knownRun(session.store, id);
  const folder = join(session.env.home, 'reports', id);
  await mkdir(folder, { recursive: true });
  const said = { code: 'rejected', text: 'name missing', issues: [] };
  const cause = { outcome: 'rejected' as const, ...said, count: 1, rows: [2] };
  const summary = { ...summarize(run, new Date()), files: ['results.csv'], causes: [cause] };
  await writeFile(join(folder, 'summary.json'), JSON.stringify(summary));
}

/** Events began to be wanted long before. */
async function wantedForLong({ session, keys }: Awaited<ReturnType<typeof startBench>>) {
  await session.ledger.redis.set(`${keys.outbox}:since`, Date.now() - 3_600_000);
}

test('a run that ended is told with its causes, once, however many processes look', async () => {
  const bench = await startBench();
  const id = await endedRun(bench.session, { agoMs: 0 });
  // Its report is not written yet.
  await bench.look();
  expect(bench.told).toEqual([]);
  await writeReport(bench.session, id);
  await Promise.all([bench.look(), bench.process()()]);
  await bench.look();
  expect(bench.told.map(({ type, data }) => [type, data.run])).toEqual([['onboard.run.finished', id]]);
  expect(bench.told[0]?.data).toMatchObject({
    target: bench.session.service.target,
    state: 'finished',
    outcomes: { created: 1, rejected: 1 },
    open: 0,
    controlTotal: true,
    exitCode: 1,
    causes: [{ text: 'name missing', count: 1 }],
    report: join(bench.session.env.home, 'reports', id),
  });
});

test('a run whose process was killed before it could tell is told by another one, without a report', async () => {
  const bench = await startBench();
  await wantedForLong(bench);
  const id = await endedRun(bench.session);
  await bench.look();
  expect(bench.told.map(({ data }) => data)).toEqual([
    expect.objectContaining({ run: id, exitCode: 1, causes: [], report: null }),
  ]);
});

test('what happened before anybody wanted to be told is not told', async () => {
  const bench = await startBench();
  await endedRun(bench.session);
  await bench.look();
  expect(bench.told).toEqual([]);
});

test('a pause is told with its reason, once for each time; one for the job’s window is not', async () => {
  const bench = await startBench();
  await wantedForLong(bench);
  const { session } = bench;
  await endedRun(session, { to: 'paused', reason: 'window' });
  const id = await endedRun(session, { to: 'paused', reason: 'service-away', outcomes: {} });
  await bench.look();
  await bench.look();
  expect(bench.told.map(({ type, data }) => [type, data.run, data.reason, data.open])).toEqual([
    ['onboard.run.paused', id, 'service-away', 2],
  ]);
  const again = Date.now() - LONG_AGO_MS + 1;
  await session.ledger.redis.hset(bench.keys.run(id).record, { movedAt: again });
  await bench.look();
  expect(bench.told).toHaveLength(2);
});

test('rows in doubt are told beside the end of their run, both with the way to its page', async () => {
  const bench = await startBench({ ONBOARD_WEB_ORIGIN: 'https://onboard.example.com' });
  await wantedForLong(bench);
  const id = await endedRun(bench.session, { outcomes: { 'o:in-doubt': 2 } });
  await bench.look();
  await bench.look();
  expect(bench.told.map(({ type }) => type).toSorted()).toEqual([
    'onboard.rows.in_doubt',
    'onboard.run.finished',
  ]);
  const doubt = bench.told.find(({ type }) => type === 'onboard.rows.in_doubt');
  expect(doubt?.data).toMatchObject({ run: id, inDoubt: 2 });
  const url = `https://onboard.example.com/runs/${id}`;
  expect(bench.told.map(({ data }) => data)).toMatchObject([{ url }, { url }]);
});

test('a service that is away for a minute is told, and that it is back', async () => {
  const bench = await startBench();
  const { redis } = bench.session.ledger;
  const { breaker } = bench.keys;
  const since = Date.now();
  await redis.hset(breaker, { since, until: since + 1_000, failures: 12, cause: 'Connection refused' });
  await bench.look();
  expect(bench.told).toEqual([]);
  await redis.hset(breaker, { since: since - 61_000 });
  await bench.look();
  await bench.look();
  await redis.del(breaker);
  await bench.look();
  await bench.look();
  expect(bench.told.map(({ type, data }) => [type, data.since, data.cause])).toEqual([
    ['onboard.service.away', new Date(since - 61_000).toISOString(), 'Connection refused'],
    ['onboard.service.back', new Date(since - 61_000).toISOString(), undefined],
  ]);
});

test('a receiver that fails three times gets the event once, by one id', async () => {
  const { session, outbox } = await startBench();
  const { url, received } = await startReceiver(atTestEnd, (n) => ({ status: n > 3 ? 204 : 503 }));
  const secretFile = join(session.env.home, 'secret');
  await writeFile(secretFile, `whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  const webhook = await openWebhook({ url, secretFile, version: '0.0.0', pausesMs: [1, 1, 1, 1] });
  await outbox.put('msg_once', '{}', ['webhook']);
  const send = createSend({ session, outbox, channels: [webhook] });
  await until(async () => {
    await send();
    return (await outbox.countLeft(['msg_once'], ['webhook'])) === 0;
  });
  await send();
  expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(Array(4).fill('msg_once'));
  expect([...session.meter.read().notifications.values()].toSorted()).toEqual([1, 3]);
});

test.each([
  [410, /nobody wants events there any more, after 1 try\./],
  [500, /an event is not told by the webhook: it answered 500, after 2 tries/],
])('an event is given up with words after an answer %i', async (status, words) => {
  const { session, outbox } = await startBench();
  const { url, received } = await startReceiver(atTestEnd, () => ({ status }));
  const secretFile = join(session.env.home, 'secret');
  await writeFile(secretFile, `whsec_${Buffer.alloc(32, 1).toString('base64')}`);
  const webhook = await openWebhook({ url, secretFile, version: '0.0.0', pausesMs: [1] });
  for (const id of ['msg_1', 'msg_2']) await outbox.put(id, '{}', ['webhook']);
  const send = createSend({ session, outbox, channels: [webhook] });
  await until(async () => {
    await send();
    return (await outbox.countLeft(['msg_1', 'msg_2'], ['webhook'])) === 0;
  });
  expect(session.io.stderr.text).toMatch(words);
  // After 410 nothing more is sent there.
  expect(received).toHaveLength(status === 410 ? 1 : 4);
});
