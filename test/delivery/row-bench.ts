import { setMaxListeners } from 'node:events';
import type { Redis } from 'ioredis';
import { awayMsOf, ratePerSecond } from '../../src/config/send-settings.ts';
import { deliverChunk } from '../../src/delivery/deliver-chunk.ts';
import type { RunContext } from '../../src/delivery/run-context.ts';
import { createServicePermits } from '../../src/delivery/run-permits.ts';
import { judge } from '../../src/delivery/service/judge.ts';
import { buildRequest } from '../../src/delivery/service/operations.ts';
import { createServiceBreaker } from '../../src/delivery/service-breaker.ts';
import { createStillRuns, waitWhileRunning } from '../../src/delivery/still-runs.ts';
import { createSharedBreaker } from '../../src/engine/ledger/breaker.ts';
import { createChunkLedger } from '../../src/engine/ledger/chunk-ledger.ts';
import { claimKeys } from '../../src/engine/ledger/key-claims.ts';
import type { LedgerKeys } from '../../src/engine/ledger/keys.ts';
import { settledMark } from '../../src/engine/ledger/mark.ts';
import { createRunStore, type RunStore } from '../../src/engine/ledger/run-store.ts';
import type { ChunkJob } from '../../src/engine/queue/chunk-job.ts';
import type { LedgerEpoch } from '../../src/engine/recovery/epoch.ts';
import { createMeter } from '../../src/faces/metrics/meter.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import type { KeyClaim } from '../../src/model/identity.ts';
import type { Operation } from '../../src/model/operation.ts';
import type { Reply, ServiceRequest } from '../../src/model/request.ts';
import type { Reason, Run, RunState } from '../../src/model/run.ts';
import type { Settlement } from '../../src/model/settlement.ts';
import { type MemoryJournal, memoryJournal, openTestEpoch } from '../support/epoch.ts';
import { settlementsOf as settlementsIn } from '../support/ledger.ts';
import { sampleMapping } from '../support/mapping.ts';
import { newRun, ownKeys } from '../support/runs.ts';
import { knownRun } from '../support/session.ts';
import { setChunk } from '../support/stored.ts';
import { CLAIMS, sampleDefinition, sampleRow } from './sample-task.ts';
import { noResponse, response } from './service/verdicts.ts';

export const answer = (status: number, body = '', retryAfterMs: number | null = null): Reply =>
  response(status, body, retryAfterMs, 3);
export const created = (id = 'made-1'): Reply => answer(200, JSON.stringify({ id, state: 'incomplete' }));
/** 503 with a `Retry-After`: not carried out, and how long to wait. */
export const busy = (afterMs: number): Reply => answer(503, '', afterMs);
export const LOST: Reply = noResponse(true, 'UND_ERR_SOCKET');
export const NOT_SENT: Reply = noResponse(false, 'ECONNREFUSED');

/** One HTTP attempt as the test wants it to go: `n` counts attempts over all rows from 1. */
export type Attempt = (n: number, request: ServiceRequest, token: string) => Promise<Reply> | Reply;

export type BenchOptions = {
  readonly operation?: Operation;
  readonly definition?: object;
  readonly rows?: number;
  readonly concurrency?: number;
  readonly attempt?: Attempt;
  readonly journal?: MemoryJournal;
  readonly over?: Partial<RunContext>;
};

/** A running run in a real ledger, with a service whose every reply the test decides. */
export type Bench = {
  readonly redis: Redis;
  readonly context: RunContext;
  /** As another worker has it. */
  readonly another: RunContext;
  readonly store: RunStore;
  readonly keys: LedgerKeys;
  readonly epoch: LedgerEpoch;
  /** The epoch in which keys are claimed. */
  readonly claimed: string;
  readonly journal: MemoryJournal;
  readonly stop: AbortController;
  /** Every attempt made, in order. */
  readonly attempts: Array<{ readonly request: ServiceRequest; readonly token: string }>;
  readonly pauses: Reason[];
  readonly troubles: string[];
  /** What Redis has for a row of chunk 1: an intent, a settlement or nothing. */
  mark(row: number): Promise<string | null>;
  setMark(row: number, mark: string): Promise<void>;
  run(): Promise<Run>;
  /** Puts the run into another state, as a person or another process does. */
  turn(to: RunState, reason?: Reason | null): Promise<unknown>;
};

const PROBE_MS = 5_000;

export async function startBench(redis: Redis, options: BenchOptions = {}): Promise<Bench> {
  const { operation = 'subclient.create', rows = 1, attempt = () => created() } = options;
  const { journal = memoryJournal() } = options;
  const keys = ownKeys();
  const epoch = await openTestEpoch(redis, keys);
  const store = createRunStore(redis, keys, () => new Date());
  const definition = sampleDefinition(operation, options.definition);
  const { id } = await store.register(newRun({ rows, definition }));
  await store.transition(id, 'running', null);
  const run = () => knownRun(store, id);
  const stop = new AbortController();
  // Every row that waits listens.
  setMaxListeners(0, stop.signal);
  const attempts: Bench['attempts'] = [];
  const pauses: Reason[] = [];
  const troubles: string[] = [];
  const parts = {
    verified: epoch,
    keys,
    journal,
    run: await run(),
    seal: CLEAR,
    probeMs: PROBE_MS,
    now: () => new Date(),
  };
  const ledger = createChunkLedger(parts);
  const clock = {
    now: () => performance.now(),
    stopping: stop.signal,
    stillRuns: createStillRuns(
      () => redis.hget(keys.run(id).record, 'state'),
      () => performance.now(),
    ),
  };
  const { rate } = definition.send;
  const intervalMs = rate === undefined ? 0 : 1000 / ratePerSecond(rate);
  const context: RunContext = {
    run: await run(),
    definition,
    mapping: MAPPING,
    ledger,
    service: {
      build: (call, parts) => buildRequest(call, { ...parts, query: {} }),
      attempt: async (request, token) => attempt(attempts.push({ request, token }), request, token),
      judge: (call, reply) => judge(call, reply, definition.send),
      token: async () => 'token-1',
      freshToken: async () => null,
      backoffMs: () => 0,
    },
    idempotency: null,
    saltOf: (key) => key,
    unsent: null,
    permits: createServicePermits(() => performance.now()).join({
      ceiling: options.concurrency ?? 20,
      stopping: stop.signal,
      rate:
        rate === undefined
          ? null
          : {
              intervalMs,
              reserve: (times) => ledger.reserve(times, intervalMs),
              pause: (ms) => waitWhileRunning(ms, clock),
              onTrouble: (error) => void troubles.push(String(error)),
            },
    }),
    breaker: createServiceBreaker(
      () => performance.now(),
      createSharedBreaker(redis, keys),
      awayMsOf(definition),
    ),
    meter: createMeter(),
    ...clock,
    isOpen: () => true,
    latest: run,
    pause: async (reason, problem) => {
      pauses.push(reason);
      if (problem !== undefined) troubles.push(problem);
      await store.transition(id, 'paused', reason);
    },
    close: async () => undefined,
    onTrouble: (what) => void troubles.push(what),
    ...options.over,
  };
  return {
    redis,
    context,
    another: { ...context, ledger: createChunkLedger(parts) },
    store,
    keys,
    epoch,
    claimed: (await claimKeys(epoch, keys, { run: id, space: { name: 'subclient', ofRun: false }, rows: [] }))
      .verification,
    journal,
    stop,
    attempts,
    pauses,
    troubles,
    async mark(row) {
      const mark = (await ledger.take(1, [row])).marks.get(row);
      if (mark === undefined) return null;
      return mark.kind === 'intent' ? mark.text : settledMark(mark.settlement, CLEAR);
    },
    setMark: (row, mark) => setChunk(redis, keys.run(id), { [row]: mark }),
    run,
    turn: (to, reason = null) => store.transition(id, to, reason),
  };
}

/** Column 1 is the key, column 2 the name; without a name a row has an issue. */
const MAPPING = sampleMapping({
  hasKey: true,
  keyOf: (row) => (row.kind === 'cells' ? (row.cells[0] ?? null) : null),
  map(row) {
    const [key = '', name = ''] = row.kind === 'cells' ? row.cells : [];
    if (name !== '')
      return { kind: 'mapped', body: { details: { name } }, pathId: key, warnings: [], references: [] };
    const { row: number, line } = row;
    const issue = { row: number, line, column: 'details.name', value: '', expected: 'a name' };
    return { kind: 'issues', issues: [{ ...issue, code: 'missing_required' }] };
  },
});

/** The chunk 1 of the run, with rows 1 to `rows`. */
export function chunkOf(bench: Bench, rows: number, claim: KeyClaim = CLAIMS.claimed): ChunkJob {
  const numbers = Array.from({ length: rows }, (_, i) => i + 1);
  const { claimed } = bench;
  return {
    run: bench.context.run.id,
    chunk: 1,
    claimed,
    rows: numbers.map((n) => ({ row: sampleRow(n), claim })),
  };
}

export const HELD = { isHeld: () => true };

/** Delivers a chunk of the bench, by default as the take `me.1` with its lease held. */
export const deliverOn = (
  bench: Bench,
  job: ChunkJob,
  {
    context = bench.context,
    fencingToken = 'me.1',
    lease = HELD,
  }: Partial<Parameters<typeof deliverChunk>[1]> = {},
) => deliverChunk(job, { context, fencingToken, lease });

/** The context of the bench with a service of which this is otherwise. */
export const serving = ({ context }: Bench, over: Partial<RunContext['service']>): RunContext => ({
  ...context,
  service: { ...context.service, ...over },
});

/** The settled rows of the bench's run, in file order. */
export const settlementsOf = ({ redis, keys, context }: Bench): Promise<Settlement[]> =>
  settlementsIn(redis, keys, context.run);

/** How each row ended: number, outcome, identifier and code, where there are such. */
export const endsOf = async (bench: Bench) =>
  (await settlementsOf(bench)).map(({ row, outcome, id, code }) =>
    [row, outcome, id, code].filter((word) => word !== '').join(' '),
  );
