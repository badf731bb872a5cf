/**
 * The metrics of a process, by name, as Prometheus reads them: what it counts itself (meter.ts), how
 * it is, and, where it watches a ledger, what stands there. All of it is taken when somebody asks,
 * and what can't be told just then (Redis is away) is left out, not guessed. No run, row, key or
 * file is a label, so that the number of series does not grow with the work.
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
import { RUN_STATES, type RunState } from '../model/run.ts';
import type { CountsByTwo, Meter, MeterReading, Times } from './meter.ts';

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

/** What a metric means, and by which labels it is told. */
type About = readonly [help: string, ...labelNames: string[]];

const OF_PROCESS = {
  onboard_build_info: ['The version that runs, and its Node.', 'version', 'node'],
  onboard_requests_in_flight: ['Requests with a permit, of all runs of this process.'],
  onboard_concurrency_limit: ['Permits of this process: what the service was found to bear.'],
  onboard_gate_open: ['Whether the ledger is verified, so that rows may be sent.'],
  onboard_page_up: ['Whether the page that this process serves runs.'],
} as const;

const OF_LEDGER = {
  onboard_rows_open: ['Rows of runs without an outcome yet.', 'job'],
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

const COUNTED = {
  onboard_retries_total: ['Attempts after a first one.', 'operation'],
  onboard_rows_total: ['Outcomes that this process recorded.', 'job', 'outcome'],
  onboard_files_total: ['Files whose way through an inbox ended.', 'job', 'result'],
  onboard_notifications_total: ['Tries to tell of events.', 'channel', 'result'],
  onboard_control_total_violations_total: ['Reports whose rows do not add up: a defect.'],
} as const;

const TIMED = {
  onboard_request_duration_seconds: ['Attempts at requests, by how they ended.', 'operation', 'status'],
  onboard_redis_round_trip_seconds: ['A command to Redis, every few seconds.'],
  onboard_journal_sync_seconds: ['A group of lines to the disk of the journal.'],
} as const;

/** All that a process registers: a gauge that it has no source for is there, and empty. */
export function createRegistry({ meter, ledger, inbox, ...process }: Sources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  registerGauges(registry, OF_PROCESS, () => processSeries(process));
  registerGauges(registry, OF_LEDGER, async () => (ledger === null ? {} : ledgerSeries(await ledger())));
  registerGauges(registry, OF_INBOX, async () => (inbox === null ? {} : inboxSeries(await inbox())));
  registerCounters(registry, () => countedSeries(meter.read()));
  register(registry, TIMED, (settings) => {
    new CountedHistogram(settings, () => timesOf(meter.read())[settings.name]);
  });
  return registry;
}

type Labels = Readonly<Record<string, string>>;
type Series = { readonly labels: Labels; readonly value: number };
/** By the metrics' names; one without labels is a number. */
type SeriesOf<Abouts> = Readonly<Record<keyof Abouts, readonly Series[] | number>>;

async function processSeries({
  version,
  load,
  isLedgerOpen,
  isPageUp,
}: Pick<Sources, 'version' | 'load' | 'isLedgerOpen' | 'isPageUp'>): Promise<SeriesOf<typeof OF_PROCESS>> {
  const { inFlight, limit } = load();
  return {
    onboard_build_info: [{ labels: { version, node: process.version }, value: 1 }],
    onboard_requests_in_flight: inFlight,
    onboard_concurrency_limit: limit,
    onboard_gate_open: Number(await isLedgerOpen()),
    onboard_page_up: isPageUp === null ? [] : Number(isPageUp()),
  };
}

const SERVICE_STATES = ['well', 'failing', 'away', 'held'] as const;

function ledgerSeries(found: LedgerNumbers): SeriesOf<typeof OF_LEDGER> {
  const lastEnds = (of: 'endedAt' | 'exitCode' | 'seconds') =>
    by(
      'job',
      [...found.lastEnds].map(([job, end]) => [job, end[of]]),
    );
  return {
    onboard_rows_open: by('job', found.openRows),
    onboard_rows_in_doubt: by('job', found.inDoubt),
    onboard_runs: by(
      'state',
      RUN_STATES.map((state) => [state, found.states.get(state) ?? 0]),
    ),
    onboard_run_last_end_timestamp_seconds: lastEnds('endedAt'),
    onboard_run_last_exit_code: lastEnds('exitCode'),
    onboard_run_last_duration_seconds: lastEnds('seconds'),
    onboard_chunks: by('state', Object.entries(found.chunks)),
    onboard_chunk_next_waiting_seconds: found.nextWaitingSeconds,
    onboard_service_state: by(
      'state',
      SERVICE_STATES.map((state) => [state, Number(state === found.service)]),
    ),
    onboard_workers: found.workers,
  };
}

function inboxSeries(found: InboxNumbers): SeriesOf<typeof OF_INBOX> {
  const states = Object.entries(found);
  return {
    onboard_inbox_files: by(
      'state',
      states.map(([state, { files }]) => [state, files]),
    ),
    onboard_inbox_oldest_seconds: by(
      'state',
      states.map(([state, one]) => [state, one.oldestSeconds]),
    ),
  };
}

function countedSeries(counted: MeterReading): SeriesOf<typeof COUNTED> {
  return {
    onboard_retries_total: by(
      'operation',
      [...counted.calls].map(([call, one]) => [nameOf(call), one.retries]),
    ),
    onboard_rows_total: byTwo('job', 'outcome', counted.rows),
    onboard_files_total: byTwo('job', 'result', counted.files),
    onboard_notifications_total: byTwo('channel', 'result', counted.notifications),
    onboard_control_total_violations_total: counted.violations,
  };
}

function by(label: string, values: Iterable<readonly [string, number]>): readonly Series[] {
  return [...values].map(([name, value]) => ({ labels: { [label]: name }, value }));
}

function byTwo(first: string, second: string, counts: CountsByTwo): readonly Series[] {
  return [...counts].flatMap(([one, others]) =>
    Object.entries(others).map(([other, value]) => ({ labels: { [first]: one, [second]: other }, value })),
  );
}

function register<Abouts extends Readonly<Record<string, About>>>(
  registry: Registry,
  abouts: Abouts,
  make: (settings: Settings<Extract<keyof Abouts, string>>) => void,
): void {
  for (const name in abouts) {
    const [help = '', ...labelNames] = abouts[name] ?? [];
    make({ name, help, labelNames, registers: [registry] });
  }
}

type Settings<Name extends string> = {
  readonly name: Name;
  readonly help: string;
  readonly labelNames: string[];
  readonly registers: Registry[];
};

function registerGauges<Abouts extends Readonly<Record<string, About>>>(
  registry: Registry,
  abouts: Abouts,
  read: () => Promise<Partial<SeriesOf<Abouts>>>,
): void {
  register(registry, abouts, (settings) => {
    new Gauge({
      ...settings,
      async collect() {
        // One source that fails leaves the others as they are.
        const values = await read().catch(() => null);
        const found: readonly Series[] | number = values?.[settings.name] ?? [];
        this.reset();
        if (typeof found === 'number') return this.set(found);
        // Without labels a gauge that was reset is 0, which nobody has measured.
        if (settings.labelNames.length === 0) this.remove({});
        for (const { labels, value } of found) this.set(labels, value);
      },
    });
  });
}

function registerCounters(registry: Registry, read: () => SeriesOf<typeof COUNTED>): void {
  register(registry, COUNTED, (settings) => {
    new Counter({
      ...settings,
      collect() {
        this.reset();
        const found = read()[settings.name];
        if (typeof found === 'number') return this.inc(found);
        for (const { labels, value } of found) this.inc(labels, value);
      },
    });
  });
}

type Timed = { readonly labels: Labels; readonly times: Times };
type TimesOf = Readonly<Record<keyof typeof TIMED, readonly Timed[]>>;

function timesOf({ calls, redisRoundTrip, journalSync }: MeterReading): TimesOf {
  return {
    onboard_request_duration_seconds: [...calls].flatMap(([call, { byStatus }]) =>
      [...byStatus].map(([status, times]) => ({ labels: { operation: nameOf(call), status }, times })),
    ),
    onboard_redis_round_trip_seconds: [{ labels: {}, times: redisRoundTrip }],
    onboard_journal_sync_seconds: [{ labels: {}, times: journalSync }],
  };
}
/**
 * A histogram of what was counted elsewhere: prom-client's own is told of each observation, which
 * costs a row too much.
 */
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
    return { ...exported, values: this.#read().flatMap((one) => bucketsOf(exported.name, one)) };
  }

  /** What the registry asks for in the place of `get` where it is there. */
  getForPromString(): ReturnType<Histogram['get']> {
    return this.get();
  }
}

/** The lines of one histogram: each bucket holds all before it too. */
function bucketsOf(name: string, { labels, times: { bounds, counts, seconds } }: Timed) {
  let count = 0;
  const buckets = bounds.map((le, i) => {
    count += counts[i] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
  });
  count += counts[bounds.length] ?? 0;
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
