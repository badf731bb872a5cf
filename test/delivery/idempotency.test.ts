import { describe, expect, test } from 'vitest';
import { operationOf } from '../../src/config/job-definition.ts';
import { decide } from '../../src/delivery/decide.ts';
import { createIdempotency, endOver } from '../../src/delivery/idempotency.ts';
import type { RunContext } from '../../src/delivery/run-context.ts';
import { createJudge } from '../../src/delivery/service/judge.ts';
import { buildRequest } from '../../src/delivery/service/operations.ts';
import { firstIntentIn, intentMark, withFirst } from '../../src/engine/ledger/mark.ts';
import { restorableFields } from '../../src/engine/recovery/replay.ts';
import type { Reference } from '../../src/model/mapping.ts';
import type { Reply, ServiceRequest } from '../../src/model/request.ts';
import { deferred } from '../support/deferred.ts';
import { sampleMapping } from '../support/mapping.ts';
import { useOwnRedis } from '../support/redis.ts';
import { makePossiblySent } from '../support/stored.ts';
import { until } from '../support/until.ts';
import {
  answer,
  type Bench,
  busy,
  chunkOf,
  created,
  deliverOn,
  endsOf,
  LOST,
  NOT_SENT,
  serving,
  settlementsOf,
  startBench,
} from './row-bench.ts';
import { sampleDefinition, sampleTask } from './sample-task.ts';

const own = useOwnRedis();
const HOUR_MS = 3_600_000;
const REQUEST = {
  name: 'thing.add',
  method: 'POST',
  path: '/things',
  id: '/id',
  idempotencyHeader: 'Idempotency-Key',
  idempotencyHours: 24,
};
const OF_HEADER = { operation: 'custom', request: REQUEST };
const definition = sampleDefinition('custom.once:thing.add', OF_HEADER);
const BEGUN = Date.parse('2026-11-21T11:00:00.000Z');

const request: ServiceRequest = {
  call: 'custom.once:thing.add',
  method: 'POST',
  path: '/things',
  body: '{"a":1}',
};
const keyed = (nonce = 'n') => {
  const idempotency = createIdempotency(definition, nonce, () => BEGUN);
  if (idempotency === null) throw new Error('the job has a header');
  return idempotency;
};
const valueIn = (row = 1, over: Partial<ServiceRequest> = {}, nonce = 'n') =>
  keyed(nonce).withValue({ ...request, ...over }, row).idempotency?.value;

test('a run has a random number of its own, which is put back with its record', async () => {
  const [one, other] = [await begin(() => null), await begin(() => null)];
  const recordOf = ({ bench: { redis, keys, context } }: Begun) =>
    redis.hgetall(keys.run(context.run.id).record);
  const { nonce } = one.bench.context.run;
  expect(nonce).toMatch(/^[\da-f-]{36}$/);
  expect(restorableFields(await recordOf(one)).nonce).toBe(nonce);
  expect(other.bench.context.run.nonce).not.toBe(nonce);
  expect((await startBench(own().redis)).context.run.nonce).toBeUndefined();
});

describe('the value', () => {
  test('is the same for the same request of a row, and another for another row, body, path or run', () => {
    expect(valueIn()).toMatch(/^[\w-]{32}$/);
    expect(valueIn()).toBe(valueIn());
    const others = [
      valueIn(2),
      valueIn(1, { body: '{"a":2}' }),
      valueIn(1, { path: '/thing' }),
      valueIn(1, {}, 'm'),
    ];
    expect(new Set([valueIn(), ...others]).size).toBe(5);
  });

  test('goes in the header that the job names, and a job without one has none', () => {
    expect(keyed().withValue(request, 1)).toEqual({
      ...request,
      idempotency: { header: 'Idempotency-Key', value: valueIn() },
    });
    expect(createIdempotency(sampleDefinition('subclient.create'), 'n')).toBeNull();
    expect(() => createIdempotency(definition, undefined)?.withValue(request, 1)).toThrow('no random number');
  });

  test.each([
    [0, true],
    [21.5, true],
    [21.6, false],
    [-0.001, false],
  ])('counts as remembered %d hours after the first intent: %s', (hours, isRemembered) => {
    expect(keyed().isRemembered({ at: BEGUN - hours * HOUR_MS, value: 'v' })).toBe(isRemembered);
  });

  test('stands with that moment in the intent, which is whose it was', () => {
    const mark = withFirst(intentMark('p.1', 7, 2), { at: BEGUN, value: 'v_-1' });
    expect(mark).toBe(`i p.1 2.7 ${BEGUN} v_-1`);
    expect(firstIntentIn(mark)).toEqual({ at: BEGUN, value: 'v_-1' });
    expect(firstIntentIn(intentMark('p.1', 7, 2))).toBeNull();
  });
});

test('over a request that may have been carried out only an acceptance ends a row', () => {
  const doubt = { outcome: 'in-doubt', message: 'Lost.', values: { sentAt: 'then' } } as const;
  const refusal = { outcome: 'failed', attempts: 2, message: 'No.', values: { row: '1' } } as const;
  expect(endOver(null, refusal)).toBe(refusal);
  expect(endOver(doubt, { outcome: 'created', id: 'a' })).toEqual({ outcome: 'created', id: 'a' });
  expect(endOver(doubt, refusal)).toEqual({
    outcome: 'in-doubt',
    attempts: 2,
    message: 'Lost. (sent again: No.)',
    values: { row: '1', sentAt: 'then' },
  });
});

/** A service that makes what each new value asks for, and then answers as the test says; `n`: of that value, from 1. */
type Service = (n: number, id: string) => Reply | null;

type Begun = {
  readonly bench: Bench;
  readonly context: RunContext;
  readonly clock: { at: number };
  readonly made: readonly string[];
};

async function begin(
  service: Service,
  { rows = 1, over = {} }: { readonly rows?: number; readonly over?: object } = {},
): Promise<Begun> {
  const clock = { at: BEGUN };
  const seen = new Map<string, number>();
  const made: string[] = [];
  const idempotency = createIdempotency(definition, 'n', () => clock.at);
  const bench = await startBench(own().redis, {
    operation: operationOf(definition),
    definition: { ...OF_HEADER, ...over },
    rows,
    over: { idempotency },
    attempt(_, { idempotency: { value } = { value: '' }, body }) {
      const n = (seen.get(value) ?? 0) + 1;
      seen.set(value, n);
      const id = `made-${value}`;
      if (n === 1) made.push(body ?? '');
      return service(n, id) ?? created(id);
    },
  });
  const { request: ownRequest, send } = bench.context.definition;
  const context = serving(bench, {
    build: (call, parts) => buildRequest(call, { ...parts, pathId: '/things', query: {}, own: ownRequest }),
    judge: createJudge({ notExecuted: send.notExecuted, own: ownRequest }),
  });
  return { bench, context, clock, made };
}

const deliver = ({ bench, context }: Begun, rows = 1, fencingToken = 'me.1') =>
  deliverOn(bench, chunkOf(bench, rows), { context, fencingToken });
const CUT: Reply = { kind: 'unreadable', status: 200, code: 'UND_ERR_SOCKET', ms: 3 };

test.each<[string, Service]>([
  ['is lost', (n) => (n === 1 ? LOST : null)],
  ['is cut off', (n) => (n === 1 ? CUT : null)],
  ['is a fault', (n) => (n === 1 ? answer(500) : null)],
  ['is lost, and the value is in use then', (n) => [LOST, answer(409), answer(425)][n - 1] ?? null],
  ['is lost, and nothing can be sent then', (n) => [LOST, NOT_SENT, busy(1)][n - 1] ?? null],
])('a create whose answer %s is sent again under its value, and is made once', async (_, service) => {
  const begun = await begin(service, { rows: 3 });
  expect(await deliver(begun, 3)).toBe('closed');
  const { bench, made } = begun;
  expect((await settlementsOf(bench)).map(({ outcome }) => outcome)).toEqual([
    'created',
    'created',
    'created',
  ]);
  expect(made).toHaveLength(3);
  expect(
    new Set(bench.attempts.map(({ request: { body, idempotency } }) => `${body}${idempotency?.value}`)).size,
  ).toBe(3);
});

test.each<[string, Service, number, string]>([
  [
    'a refusal',
    (n) => (n === 1 ? LOST : answer(403, 'no')),
    2,
    'sent again: The service did not permit this call',
  ],
  [
    'a refusal that names a time, again and again',
    (n) => (n === 1 ? LOST : answer(403, 'no', 1)),
    3,
    'sent again',
  ],
  [
    'nothing but that it is in use',
    (n) => (n === 1 ? LOST : answer(409)),
    3,
    'The service refused the request (409)',
  ],
  ['nothing', () => LOST, 3, 'not known'],
  ['an id that can’t be used', (n) => (n === 1 ? LOST : answer(200, '{"id":"a/.."}')), 2, 'can not be used'],
])(
  'a create whose answer was lost, and which is answered %s then, is in doubt',
  async (_, service, most, words) => {
    const begun = await begin(service, { rows: 1, over: { send: { attempts: 3 } } });
    // Others get through: attempts are used up.
    const { breaker } = begun.context;
    const context = { ...begun.context, breaker: { ...breaker, answeredSince: () => true } };
    expect(await deliver({ ...begun, context })).toBe('closed');
    const [end] = await settlementsOf(begun.bench);
    expect(end).toMatchObject({ outcome: 'in-doubt', message: expect.stringContaining(words) });
    expect(begun.bench.attempts).toHaveLength(most);
  },
);

test('a value in use is a refusal of a row of which nothing can have arrived', async () => {
  const begun = await begin(() => answer(409));
  await deliver(begun);
  expect(await endsOf(begun.bench)).toEqual(['1 failed http_409']);
});

test('once the service may have forgotten the value, the row is in doubt and not sent again', async () => {
  const begun = await begin(() => {
    begun.clock.at += 22 * HOUR_MS;
    return LOST;
  });
  expect(await deliver(begun)).toBe('closed');
  expect(await endsOf(begun.bench)).toEqual(['1 in-doubt connection_lost']);
  expect(begun.bench.attempts).toHaveLength(1);
});

type Left = Begun & { answer(reply: Reply): void; readonly ended: Promise<unknown> };

/** The first worker made the row and has lost its chunk to another one; perhaps its answer comes yet. */
async function leftBehind(service: Service = () => null, over: object = {}): Promise<Left> {
  const begun = await begin(service, { over });
  const { bench, context } = begun;
  const reply = deferred<Reply>();
  const attempt: RunContext['service']['attempt'] = async (...args) => {
    await context.service.attempt(...args);
    return reply.promise;
  };
  const waits = { ...context, service: { ...context.service, attempt } };
  const ended = deliver({ ...begun, context: waits }, 1, 'dead.1');
  await until(() => bench.attempts.length === 1);
  const another = { ...context, ledger: bench.another.ledger };
  return { ...begun, context: another, answer: reply.resolve, ended };
}

const loseTrace = ({ bench: { redis, keys, context } }: Begun) =>
  makePossiblySent(redis, keys.run(context.run.id));

test('the next worker sends a dead one’s row again under the value of its first intent', async () => {
  const left = await leftBehind();
  expect(await left.bench.mark(1)).toMatch(new RegExp(`^i dead.1 1.1 ${BEGUN} `));
  left.clock.at += 2 * HOUR_MS;
  expect(await deliver(left)).toBe('closed');
  expect(await settlementsOf(left.bench)).toMatchObject([{ outcome: 'created', attempts: 1 }]);
  expect([left.made.length, left.bench.attempts.length]).toEqual([1, 2]);
});

type Build = RunContext['service']['build'];
const building = ({ context }: Begun, build: Build): RunContext => ({
  ...context,
  service: { ...context.service, build },
});

const later = ({ clock }: Begun, ms: number) => {
  clock.at += ms;
};

test.each<[string, (left: Begun) => unknown]>([
  ['after the hours', (left) => later(left, 22 * HOUR_MS)],
  ['by a clock that is before the first intent', (left) => later(left, -1)],
  [
    'where it makes another body of the row',
    (left) =>
      building(left, (call, parts) => left.context.service.build(call, { ...parts, body: { b: '1' } })),
  ],
  [
    'where it can’t make the row’s body any more',
    (left) =>
      building(left, () => {
        throw new Error('a bug');
      }),
  ],
  ['without the first intent', ({ bench }) => bench.setMark(1, 'i dead.1 1.1')],
  ['where Redis has lost something of the chunk', (left) => loseTrace(left)],
  ['in a run that is cancelled', ({ bench }) => bench.turn('cancelled')],
])('the next worker leaves a dead one’s row in doubt %s', async (_, change) => {
  const left = await leftBehind();
  const changed = await change(left);
  const isContext = (one: unknown): one is RunContext => typeof one === 'object' && one !== null;
  await deliver(isContext(changed) ? { ...left, context: changed } : left);
  expect(await endsOf(left.bench)).toEqual(['1 in-doubt worker_lost']);
  expect(left.bench.attempts).toHaveLength(1);
});

test('a row with references is sent again only where they lead to the same records', () => {
  const path = ['parent', 'id'];
  const reference: Reference = { space: 'subclient', key: 'P1', path, column: 'Parent' };
  const body = { details: { name: 'A' } };
  const mapping = sampleMapping({
    hasKey: true,
    keyOf: () => 'K7',
    map: () => ({ kind: 'mapped', body, pathId: '/things', warnings: [], references: [reference] }),
  });
  const text = JSON.stringify({ ...body, parent: { id: 'sub-1' } });
  const { value = '' } = keyed().withValue({ ...request, body: text }, 7).idempotency ?? {};
  const mark = { kind: 'intent', text: withFirst(intentMark('dead.1', 7, 1), { at: BEGUN, value }) } as const;
  const build = (_: unknown, parts: { readonly body: object }) => ({
    ...request,
    body: JSON.stringify(parts.body),
  });
  const means = { definition, mapping, service: { build }, idempotency: keyed() };
  const plan = decide(sampleTask(operationOf(definition)), new Map([[7, mark]]), means);
  if (plan.kind !== 'ask') throw new Error(`expected a question, got ${plan.kind}`);
  const known = (id: string) => ({ kind: 'known', run: 'r', row: 1, id }) as const;
  const kinds = [
    known('sub-1'),
    known('sub-2'),
    { kind: 'held', run: 'run-now', row: 6, inDoubt: false } as const,
  ];
  expect(kinds.map((state) => plan.decide({ states: [state], fields: '' }))).toMatchObject([
    { kind: 'send', expected: mark.text, first: { at: BEGUN, value } },
    { kind: 'end', end: { outcome: 'in-doubt', code: 'worker_lost' } },
    { kind: 'wait' },
  ]);
});

const settledEntries = ({ bench: { journal } }: Begun) =>
  journal.records.filter((record) => record.kind === 'settled' && record.ended.includes('failed'));

test('a refusal that comes late ends no doubt that another worker has of the same request', async () => {
  const left = await leftBehind(() => LOST, { send: { attempts: 1 } });
  const { breaker } = left.context;
  const used = { ...left.context, breaker: { ...breaker, answeredSince: () => true } };
  expect(await deliver({ ...left, context: used })).toBe('closed');
  left.answer(answer(400));
  await left.ended;
  expect(await endsOf(left.bench)).toEqual(['1 in-doubt worker_lost']);
  // A replay must not take it for the row's end either.
  expect(settledEntries(left)).toEqual([]);
});

test('a refusal in a chunk of which a lost worker may have sent the same ends no row', async () => {
  const left = await leftBehind();
  await loseTrace(left);
  left.answer(answer(400));
  expect(await left.ended).toBe('put-back');
  expect([await left.bench.mark(1), settledEntries(left)]).toEqual([expect.stringMatching(/^i dead/), []]);
});

test('a refusal of what nobody else sends is the row’s end, and the journal has it', async () => {
  const left = await leftBehind();
  left.answer(answer(400));
  expect(await left.ended).toBe('closed');
  expect([await endsOf(left.bench), settledEntries(left).length]).toEqual([['1 failed http_400'], 1]);
});
