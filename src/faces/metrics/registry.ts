/**
 * A process' metrics in prom-client, and where a monitor asks for them. Gauges are taken when asked
 * for; what can't be told just then (Redis is away) is left out.
 */
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type ListenAddress, listenAt, shownListenAddress } from '../../lib/listening.ts';
import type { Reply } from '../../model/request.ts';
import { RUN_STATES, type RunState } from '../../model/run.ts';
import { SERVICE_STATES } from '../../model/story.ts';
import { nameOf } from '../../operations/own.ts';
import type { Counters } from './meter.ts';

/** Upper bounds in seconds. */
const REQUEST_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** Of the disk and of Redis. */
const SYNC_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Counts into a registry of its own. */
export function createCounters(): Counters & { readonly registry: Registry } {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, buckets: number[], ...labelNames: string[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const requests = histogram(
    'onboard_request_duration_seconds',
    'Attempts at requests, by how they ended.',
    REQUEST_SECONDS,
    'operation',
    'status',
  );
  const retries = counter('onboard_retries_total', 'Attempts after a first one.', 'operation');
  const rows = counter('onboard_rows_total', 'Outcomes that this process recorded.', 'job', 'outcome');
  const files = counter('onboard_files_total', 'Files whose way through an inbox ended.', 'job', 'result');
  const tries = counter('onboard_notifications_total', 'Tries to tell of events.', 'channel', 'result');
  const violations = counter(
    'onboard_control_total_violations_total',
    'Reports whose rows do not add up: a defect.',
  );
  const roundTrips = histogram(
    'onboard_redis_round_trip_seconds',
    'A command to Redis, every few seconds.',
    SYNC_SECONDS,
  );
  const syncs = histogram(
    'onboard_journal_sync_seconds',
    'A group of lines to the disk of the journal.',
    SYNC_SECONDS,
  );
  return {
    registry,
    attempted(call, reply, made) {
      const operation = nameOf(call);
      requests.observe({ operation, status: statusOf(reply) }, reply.ms / 1000);
      if (made > 1) retries.inc({ operation });
    },
    recorded(job, settled) {
      for (const { outcome } of settled) rows.inc({ job, outcome });
    },
    file: (job, result) => files.inc({ job: job ?? '', result }),
    notified: (channel, result) => tries.inc({ channel, result }),
    violated: () => violations.inc(),
    synced(ms) {
      if (ms !== null) syncs.observe(ms / 1000);
    },
    answered: (ms) => roundTrips.observe(ms / 1000),
  };
}

const STATUSES = ['200', '401', '403', '418', '429'];
/** What service/attempt-handler.ts calls an attempt whose time was over. */
const TIMEOUT = /TIMEOUT/;

/** `refused`: nothing was sent; `lost`: no whole answer came. */
function statusOf(reply: Reply): string {
  if (reply.kind === 'no-response' && !reply.sent) return 'refused';
  if (reply.kind !== 'response') return TIMEOUT.test(reply.code) ? 'timeout' : 'lost';
  const text = String(reply.status);
  if (STATUSES.includes(text)) return text;
  return /^[45]..$/.test(text) ? `${text.charAt(0)}xx` : 'other';
}

export type LedgerNumbers = {
  readonly states: ReadonlyMap<RunState, number>;
  readonly pendingRows: ReadonlyMap<string, number>;
  readonly inDoubt: ReadonlyMap<string, number>;
  readonly lastEnds: ReadonlyMap<string, { endedAt: number; seconds: number; exitCode: number }>;
  readonly service: string;
  readonly workers: number;
  /** By BullMQ's states. */
  readonly chunks: Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>;
  /** Of the chunk that is taken next; 0: none waits. */
  readonly nextWaitingSeconds: number;
};

/** What lies in the inboxes. */
export type InboxNumbers = Readonly<
  Record<'waiting' | 'processing', { readonly files: number; readonly oldestSeconds: number }>
>;

/** `null`: a process can't tell. */
export type Sources = {
  readonly registry: Registry;
  readonly version: string;
  load(): { readonly inFlight: number; readonly limit: number };
  isLedgerOpen(): Promise<boolean>;
  readonly isPageUp: (() => boolean) | null;
  readonly ledger: (() => Promise<LedgerNumbers>) | null;
  readonly inbox: (() => Promise<InboxNumbers>) | null;
};

/** What a gauge means, and its label. */
type About = readonly [help: string, label?: string];

const OF_PROCESS = {
  onboard_requests_in_flight: ['Requests with a permit, of all runs of this process.'],
  onboard_concurrency_limit: ['Permits of this process: what the service was found to bear.'],
  onboard_gate_open: ['Whether the ledger is verified, so that rows may be sent.'],
  onboard_page_up: ['Whether the page that this process serves runs.'],
} as const;

const OF_LEDGER = {
  onboard_rows_pending: ['Rows of runs without an outcome yet.', 'job'],
  onboard_rows_in_doubt: ['Rows that may have been created: somebody has to look.', 'job'],
  onboard_runs: ['Runs by their state.', 'state'],
  onboard_run_last_end_timestamp_seconds: ["When the job's last run ended.", 'job'],
  onboard_run_last_exit_code: ["The exit status of the job's last run.", 'job'],
  onboard_run_last_duration_seconds: ["How long the job's last run took.", 'job'],
  onboard_chunks: ['Chunks of rows in the queue.', 'state'],
  onboard_chunk_next_waiting_seconds: ['How long the chunk that is taken next has waited; 0: none waits.'],
  onboard_service_state: ['How the service is doing, as all workers found: 1 for one of them.', 'state'],
  onboard_workers: ['Processes registered with the ledger.'],
} as const;

const OF_INBOX = {
  onboard_inbox_files: ['Files in the inboxes, and taken from them.', 'state'],
  onboard_inbox_oldest_seconds: ['How long the oldest has not changed; 0: there is none.', 'state'],
} as const;

export function registerGauges({ registry, version, ledger, inbox, ...process }: Sources): void {
  const labelNames = ['version', 'node'];
  const help = 'The version that runs, and its Node.';
  const build = new Gauge({ name: 'onboard_build_info', help, labelNames, registers: [registry] });
  build.set({ version, node: globalThis.process.version }, 1);
  register(registry, OF_PROCESS, () => processValues(process));
  register(registry, OF_LEDGER, async () => (ledger === null ? {} : ledgerValues(await ledger())));
  register(registry, OF_INBOX, async () => (inbox === null ? {} : inboxValues(await inbox())));
}

/** By the label, or one where there is none. */
type Values = Iterable<readonly [string, number]> | number;
type ValuesOf<Abouts> = Readonly<Record<keyof Abouts, Values>>;

async function processValues({
  load,
  isLedgerOpen,
  isPageUp,
}: Pick<Sources, 'load' | 'isLedgerOpen' | 'isPageUp'>): Promise<ValuesOf<typeof OF_PROCESS>> {
  const { inFlight, limit } = load();
  return {
    onboard_requests_in_flight: inFlight,
    onboard_concurrency_limit: limit,
    onboard_gate_open: Number(await isLedgerOpen()),
    onboard_page_up: isPageUp === null ? [] : Number(isPageUp()),
  };
}

function ledgerValues(found: LedgerNumbers): ValuesOf<typeof OF_LEDGER> {
  const lastEnds = (of: 'endedAt' | 'exitCode' | 'seconds') =>
    [...found.lastEnds].map(([job, end]) => [job, end[of]] as const);
  return {
    onboard_rows_pending: found.pendingRows,
    onboard_rows_in_doubt: found.inDoubt,
    onboard_runs: RUN_STATES.map((state) => [state, found.states.get(state) ?? 0]),
    onboard_run_last_end_timestamp_seconds: lastEnds('endedAt'),
    onboard_run_last_exit_code: lastEnds('exitCode'),
    onboard_run_last_duration_seconds: lastEnds('seconds'),
    onboard_chunks: Object.entries(found.chunks),
    onboard_chunk_next_waiting_seconds: found.nextWaitingSeconds,
    onboard_service_state: SERVICE_STATES.map((state) => [state, Number(state === found.service)]),
    onboard_workers: found.workers,
  };
}

function inboxValues(found: InboxNumbers): ValuesOf<typeof OF_INBOX> {
  const states = Object.entries(found);
  return {
    onboard_inbox_files: states.map(([state, { files }]) => [state, files]),
    onboard_inbox_oldest_seconds: states.map(([state, { oldestSeconds }]) => [state, oldestSeconds]),
  };
}

function register<Abouts extends Readonly<Record<string, About>>>(
  registry: Registry,
  abouts: Abouts,
  read: () => Promise<Partial<ValuesOf<Abouts>>>,
): void {
  for (const name in abouts) {
    const [help = '', label] = abouts[name] ?? [];
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      async collect() {
        // One source that fails leaves the others as they are.
        const found: Values = (await read().catch(() => null))?.[name] ?? [];
        this.reset();
        if (typeof found === 'number') return this.set(found);
        // Without a label a gauge that was reset is 0, which nobody has measured.
        if (label === undefined) return this.remove({});
        for (const [of, value] of found) this.set({ [label]: of }, value);
      },
    });
  }
}

type MetricsSources = Sources & {
  /** Why nothing can be sent now, each in words; empty: it can. */
  notReady(): Promise<readonly string[]>;
};

const HEADERS_MS = 5_000;
const REQUEST_MS = 10_000;
const CONNECTIONS = 50;

/**
 * Without a log-in: metrics, whether the event loop turns (a process that waits for Redis must not
 * be ended for it), and whether rows can be sent.
 */
export async function serveMetrics(address: ListenAddress, sources: MetricsSources) {
  registerGauges(sources);
  const server = createServer(
    { headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    listenerFor(sources),
  );
  server.maxConnections = CONNECTIONS;
  const bound = await listenAt(server, address, { name: '--metrics', usual: '127.0.0.1:9464' });
  server.unref();
  return {
    url: `http://${shownListenAddress(bound)}/metrics`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const OTHERS = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function listenerFor({ notReady, registry }: MetricsSources) {
  const app = new Hono();
  app.use(async ({ header }, next) => {
    header('cache-control', 'no-store');
    header('x-content-type-options', 'nosniff');
    await next();
  });
  app.on(OTHERS, '*', ({ text }) => text('expected GET\n', 405));
  app.get('/metrics', async ({ body }) => {
    return body(await registry.metrics(), 200, { 'content-type': registry.contentType });
  });
  app.get('/healthz', ({ text }) => text('ok\n'));
  app.get('/readyz', async ({ json }) => {
    const reasons = await notReady();
    return json({ ready: reasons.length === 0, reasons }, reasons.length === 0 ? 200 : 503);
  });
  app.notFound(({ text }) => text('expected /metrics, /healthz or /readyz\n', 404));
  app.onError((error, { text }) => text(`${error.message}\n`, 500));
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
}
