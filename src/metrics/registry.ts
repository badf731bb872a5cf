/**
 * The metrics of a process, by name, as Prometheus reads them: what it counts itself (meter.ts), how it is, and, where it watches a ledger,
 * what stands there. All of it is taken when somebody asks, and what can't be told just then (Redis is away) is left out, not guessed.
 * No run, row, key or file is a label, so that the number of series does not grow with the work.
 */
import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type HistogramConfiguration,
  Registry,
} from 'prom-client';
import { nameOf } from '../model/operation.ts';
import { OUTCOMES } from '../model/outcome.ts';
import { RUN_STATES, type RunState } from '../model/run.ts';
import {
  type Meter,
  type MeterReading,
  PART_SEPARATOR,
  REQUEST_SECONDS,
  STATUSES,
  SYNC_SECONDS,
  type Times,
} from './meter.ts';

/** What stands in the ledger that the process works for. */
export type LedgerNumbers = {
  readonly states: ReadonlyMap<RunState, number>;
  readonly openRows: ReadonlyMap<string, number>;
  readonly inDoubt: ReadonlyMap<string, number>;
  readonly lastEnds: ReadonlyMap<string, { endedAt: number; seconds: number; exitCode: number }>;
  readonly service: string;
  readonly workers: number;
  /** By BullMQ's states. */
  readonly chunks: Readonly<Record<'waiting' | 'active' | 'delayed' | 'failed', number>>;
  /** How long the chunk that is taken next has been waiting; 0: none waits. */
  readonly nextWaitingSeconds: number;
};

/** What lies in the inboxes. */
export type InboxNumbers = Readonly<
  Record<'waiting' | 'processing', { readonly files: number; readonly oldestSeconds: number }>
>;

/** Where the numbers come from; what a process can't tell of is `null`. */
export type Sources = {
  readonly version: string;
  readonly meter: Pick<Meter, 'read'>;
  load(): { readonly inFlight: number; readonly limit: number };
  isLedgerOpen(): Promise<boolean>;
  /** Whether the page runs that this process serves. */
  readonly isPageUp: (() => boolean) | null;
  readonly ledger: (() => Promise<LedgerNumbers>) | null;
  readonly inbox: (() => Promise<InboxNumbers>) | null;
};

const SERVICE_STATES = ['well', 'failing', 'away', 'held'] as const;
const CHUNK_STATES = ['waiting', 'active', 'delayed', 'failed'] as const;

/** All that a process registers: a gauge that it has no source for is there, and empty. */
export function createRegistry(sources: Sources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const counted = () => sources.meter.read();
  ofProcess(registers, sources);
  ofAttempts(registers, counted);
  ofRows(registers, counted);
  ofLedger(registers, sources.ledger);
  ofInbox(registers, sources.inbox);
  return registry;
}

type Registers = Registry[];
type Labelled = { readonly labels: Readonly<Record<string, string>>; readonly value: number };

function ofProcess(registers: Registers, { version, load, isLedgerOpen, isPageUp, meter }: Sources): void {
  gauge(registers, 'onboard_build_info', 'The version that runs, and its Node.', ['version', 'node'], () => [
    { labels: { version, node: process.version }, value: 1 },
  ]);
  gauge(
    registers,
    'onboard_requests_in_flight',
    'Requests with a permit, of all runs of this process.',
    [],
    () => plain(load().inFlight),
  );
  gauge(
    registers,
    'onboard_concurrency_limit',
    'Permits of this process: what the service was found to bear.',
    [],
    () => plain(load().limit),
  );
  gauge(
    registers,
    'onboard_gate_open',
    'Whether the ledger is verified, so that rows may be sent.',
    [],
    async () => plain((await isLedgerOpen()) ? 1 : 0),
  );
  gauge(registers, 'onboard_page_up', 'Whether the page that this process serves runs.', [], () =>
    isPageUp === null ? [] : plain(isPageUp() ? 1 : 0),
  );
  const bounds = [...SYNC_SECONDS];
  histogram(
    registers,
    'onboard_redis_round_trip_seconds',
    'A command to Redis, every few seconds.',
    bounds,
    () => [{ labels: {}, times: meter.read().redisRoundTrip }],
  );
  histogram(
    registers,
    'onboard_journal_sync_seconds',
    'A group of lines to the disk of the journal.',
    bounds,
    () => [{ labels: {}, times: meter.read().journalSync }],
  );
}

function ofAttempts(registers: Registers, counted: () => MeterReading): void {
  histogram(
    registers,
    'onboard_request_duration_seconds',
    'Attempts at requests to the service, by how they ended.',
    [...REQUEST_SECONDS],
    () =>
      [...counted().calls].flatMap(([call, { byStatus }]) =>
        STATUSES.map((status) => ({ labels: { operation: nameOf(call), status }, times: byStatus[status] })),
      ),
    ['operation', 'status'],
  );
  counter(registers, 'onboard_retries_total', 'Attempts after a first one.', ['operation'], () =>
    [...counted().calls].map(([call, { retries }]) => ({
      labels: { operation: nameOf(call) },
      value: retries,
    })),
  );
}

function ofRows(registers: Registers, counted: () => MeterReading): void {
  counter(registers, 'onboard_rows_total', 'Outcomes that this process recorded.', ['job', 'outcome'], () =>
    [...counted().rows].flatMap(([job, counts]) =>
      OUTCOMES.map((outcome) => ({ labels: { job, outcome }, value: counts[outcome] })),
    ),
  );
  counter(
    registers,
    'onboard_files_total',
    'Files whose way through an inbox ended.',
    ['job', 'result'],
    () => inParts(counted().files, 'job', 'result'),
  );
  counter(registers, 'onboard_notifications_total', 'Tries to tell of events.', ['channel', 'result'], () =>
    inParts(counted().notifications, 'channel', 'result'),
  );
  counter(
    registers,
    'onboard_control_total_violations_total',
    'Reports of this process whose rows do not add up: a defect.',
    [],
    () => plain(counted().violations),
  );
}

function inParts(counts: ReadonlyMap<string, number>, first: string, second: string): Labelled[] {
  return [...counts].map(([name, value]) => {
    const [one = '', other = ''] = name.split(PART_SEPARATOR);
    return { labels: { [first]: one, [second]: other }, value };
  });
}

function ofLedger(registers: Registers, look: Sources['ledger']): void {
  const ledger = (
    name: string,
    help: string,
    label: string | null,
    values: (found: LedgerNumbers) => Labelled[],
  ) =>
    gauge(registers, name, help, label === null ? [] : [label], async () =>
      look === null ? [] : values(await look()),
    );
  const byJob = (counts: ReadonlyMap<string, number>) =>
    [...counts].map(([job, value]) => ({ labels: { job }, value }));
  ledger('onboard_rows_open', 'Rows of runs without an outcome yet.', 'job', (l) => byJob(l.openRows));
  ledger('onboard_rows_in_doubt', 'Rows that may have been created: somebody has to look.', 'job', (l) =>
    byJob(l.inDoubt),
  );
  ledger('onboard_runs', 'Runs by their state.', 'state', ({ states }) =>
    RUN_STATES.map((state) => ({ labels: { state }, value: states.get(state) ?? 0 })),
  );
  const lastEnd = (name: string, help: string, of: 'endedAt' | 'seconds' | 'exitCode') =>
    ledger(name, help, 'job', ({ lastEnds }) =>
      [...lastEnds].map(([job, end]) => ({ labels: { job }, value: end[of] })),
    );
  lastEnd('onboard_run_last_end_timestamp_seconds', "When the job's last run ended.", 'endedAt');
  lastEnd('onboard_run_last_exit_code', "The exit status of the job's last run.", 'exitCode');
  lastEnd('onboard_run_last_duration_seconds', "How long the job's last run took.", 'seconds');
  ledger('onboard_chunks', 'Chunks of rows in the queue.', 'state', ({ chunks }) =>
    CHUNK_STATES.map((state) => ({ labels: { state }, value: chunks[state] })),
  );
  ledger(
    'onboard_chunk_next_waiting_seconds',
    'How long the chunk that is taken next has been waiting; 0: none waits.',
    null,
    ({ nextWaitingSeconds }) => plain(nextWaitingSeconds),
  );
  ledger(
    'onboard_service_state',
    'How the service is doing, as all workers found: 1 for one of them.',
    'state',
    (l) => SERVICE_STATES.map((state) => ({ labels: { state }, value: state === l.service ? 1 : 0 })),
  );
  ledger('onboard_workers', 'Processes registered with the ledger.', null, ({ workers }) => plain(workers));
}

function ofInbox(registers: Registers, look: Sources['inbox']): void {
  const states = ['waiting', 'processing'] as const;
  const inbox = (name: string, help: string, of: 'files' | 'oldestSeconds') =>
    gauge(registers, name, help, ['state'], async () => {
      const found = await look?.();
      return found === undefined
        ? []
        : states.map((state) => ({ labels: { state }, value: found[state][of] }));
    });
  inbox('onboard_inbox_files', 'Files in the inboxes, and taken from them.', 'files');
  inbox(
    'onboard_inbox_oldest_seconds',
    'How long the oldest of them has not changed; 0: there is none.',
    'oldestSeconds',
  );
}

function plain(value: number): Labelled[] {
  return [{ labels: {}, value }];
}

type Values = () => readonly Labelled[] | Promise<readonly Labelled[]>;

function gauge(registers: Registers, name: string, help: string, labelNames: string[], values: Values): void {
  new Gauge({
    name,
    help,
    labelNames,
    registers,
    async collect() {
      const found = await orNone(values);
      this.reset();
      // Without labels a gauge that was reset is 0, which nobody has measured.
      if (found.length === 0 && labelNames.length === 0) this.remove({});
      for (const { labels, value } of found) this.set(labels, value);
    },
  });
}

function counter(
  registers: Registers,
  name: string,
  help: string,
  labelNames: string[],
  values: Values,
): void {
  new Counter({
    name,
    help,
    labelNames,
    registers,
    async collect() {
      const found = await orNone(values);
      this.reset();
      for (const { labels, value } of found) this.inc(labels, value);
    },
  });
}

/** One source that fails leaves the others as they are. */
async function orNone(values: Values): Promise<readonly Labelled[]> {
  try {
    return await values();
  } catch {
    return [];
  }
}

type Timed = { readonly labels: Readonly<Record<string, string>>; readonly times: Times };

function histogram(
  registers: Registers,
  name: string,
  help: string,
  buckets: number[],
  read: () => readonly Timed[],
  labelNames: string[] = [],
): void {
  new CountedHistogram({ name, help, buckets, labelNames, registers }, read);
}

/** A histogram of what was counted elsewhere: prom-client's own is told of each observation, which costs a row too much. */
class CountedHistogram extends Histogram {
  /** For name, help and type as they are exported. */
  readonly #empty: Histogram;
  readonly #read: () => readonly Timed[];

  constructor(settings: HistogramConfiguration<string>, read: () => readonly Timed[]) {
    super(settings);
    this.#empty = new Histogram({ ...settings, registers: [] });
    this.#read = read;
  }

  override async get(): ReturnType<Histogram['get']> {
    const exported = await this.#empty.get();
    return { ...exported, values: this.#read().flatMap((timed) => seriesOf(exported.name, timed)) };
  }

  /** What the registry asks for in the place of `get` where it is there. */
  getForPromString(): ReturnType<Histogram['get']> {
    return this.get();
  }
}

/** The lines of one histogram: each bucket holds all before it too. A combination that never came has none. */
function seriesOf(name: string, { labels, times: { bounds, counts, seconds } }: Timed) {
  let count = 0;
  const buckets = bounds.map((le, i) => {
    count += counts[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  count += counts[bounds.length] ?? 0;
  if (count === 0 && Object.keys(labels).length > 0) return [];
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
