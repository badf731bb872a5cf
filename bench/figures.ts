/** How a figure is written: `%` a share of 1, `×` a ratio, the others as they stand. */
export type Unit = '%' | '×' | 'MB' | 's' | 'µs' | 'rows' | 'writes';

/** One line of the table: what is measured, and what it has to be. */
export type Figure = {
  readonly id: FigureId;
  readonly measurement: MeasurementId;
  readonly title: string;
  readonly unit: Unit;
  /** `speed` counts only from a machine that nobody else used meanwhile; what something costs holds on a busy one, too. */
  readonly kind: 'speed' | 'cost';
  /** `least`: at least the target is wanted; `most`: at most. */
  readonly bound: 'least' | 'most';
  /** In the unit; a share of 1 for `%`. */
  readonly target: number;
  /** How it is measured, for docs/performance.md. */
  readonly how: string;
};

export type FigureId =
  | 'cpu'
  | 'bare'
  | 'job-per-row'
  | 'writes'
  | 'in-doubt'
  | 'slow-service'
  | 'workers-2'
  | 'workers-4'
  | 'redis-cpu'
  | 'light-workers-2'
  | 'light-workers-4'
  | 'memory'
  | 'memory-redis'
  | 'million'
  | 'first-row'
  | 'start'
  | 'version'
  | 'check';

/** What brings figures: one of them measures several where they come from the same runs. */
export const MEASUREMENTS = [
  'bare',
  'job-per-row',
  'writes',
  'in-doubt',
  'slow-service',
  'workers',
  'light-workers',
  'million',
  'first-row',
  'start',
  'version',
  'check',
] as const;
export type MeasurementId = (typeof MEASUREMENTS)[number];

/** Every figure of the table, in its order. */
export const FIGURES: readonly Figure[] = [
  {
    id: 'cpu',
    measurement: 'bare',
    title: 'CPU a row, all processes, at a service that answers at once',
    unit: 'µs',
    kind: 'cost',
    bound: 'most',
    target: 115,
    how: 'User and system time of `onboard run` with all its threads, of Redis and of the service, from the start of the run to its exit; the table of the runs has each apart, and those it is compared with.',
  },
  {
    id: 'bare',
    measurement: 'bare',
    title: 'rows/s against a bare loop that records nothing, everything durable',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 0.55,
    how: 'The runs of the figure above: the same file, job and server for both, each a process from its start to its exit, one after the other; Redis writes every command to the disk before it answers.',
  },
  {
    id: 'job-per-row',
    measurement: 'job-per-row',
    title: 'rows/s against one BullMQ job per row',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 3.5,
    how: 'As above; both on a fresh Redis with the same settings (appendfsync always).',
  },
  {
    id: 'writes',
    measurement: 'writes',
    title: 'scripts that write, per 100 rows at full speed',
    unit: 'writes',
    kind: 'cost',
    bound: 'most',
    target: 4,
    how: 'Counted in the append-only file that one such run leaves, never rewritten meanwhile: what stands there between MULTI and EXEC, or alone, is one script or command that wrote. Each ends in an fsync, which those that come together share. All scripts that were called, also those that only read, stand beside it in performance.json.',
  },
  {
    id: 'in-doubt',
    measurement: 'in-doubt',
    title: 'rows in doubt after a kill at full speed',
    unit: 'rows',
    kind: 'cost',
    bound: 'most',
    target: 270,
    how: 'Half of the rows have reached the service (Node, at once) when `onboard run` is killed with SIGKILL; a second run of the file ends it, and its report says how many are in doubt. The target: 50 in flight, 100 ahead, and one window of answers, 8 ms at 15,000 rows/s. The service must not have got more requests than there are rows.',
  },
  {
    id: 'slow-service',
    measurement: 'slow-service',
    title: 'a service that answers after 50 ms, 50 requests in flight: share of the possible 1,000 rows/s',
    unit: '%',
    kind: 'speed',
    bound: 'least',
    target: 0.98,
    how: 'The service counts: all rows, from its first request to its last answer, so the start of the program is left out. It says how long it really held its answers.',
  },
  {
    id: 'workers-2',
    measurement: 'workers',
    title: '2 `onboard work` processes on that service, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 1.95,
    how: '`onboard watch` takes the file from the inbox and each `onboard work` has 50 requests in flight; the service counts the rows between a fifth and four fifths of the file. The processes have sent a file of its own before, so that their start is no part of it.',
  },
  {
    id: 'workers-4',
    measurement: 'workers',
    title: '4 `onboard work` processes on that service, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 3.6,
    how: 'As above, in the same round as the one. Four are 4,000 rows/s: where one process alone keeps the processors busy at little more than that, it is they that are measured; the share of their time in use stands in performance.json (`busy`).',
  },
  {
    id: 'redis-cpu',
    measurement: 'workers',
    title: 'CPU of Redis a row, one such process',
    unit: 'µs',
    kind: 'cost',
    bound: 'most',
    target: 60,
    how: 'User and system time of the whole server, from the start of `onboard watch` to its exit; a process that waits and its signs of life are part of it.',
  },
  {
    id: 'light-workers-2',
    measurement: 'light-workers',
    title: '2 such processes with 20 requests in flight each, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 1.9,
    how: 'The same with at most 400 rows/s for each process: less of what is measured is the processors (`busy`), more of it what processes lose by each other, on the queue, the ledger and the limits that they share. Rows that come one by one cost more than those that travel together, so that the processors are busier than in proportion.',
  },
  {
    id: 'light-workers-4',
    measurement: 'light-workers',
    title: '4 such processes with 20 requests in flight each, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 3.7,
    how: 'As above, in the same round as the one.',
  },
  {
    id: 'memory',
    measurement: 'million',
    title: '1,000,000 rows: peak resident memory of the process',
    unit: 'MB',
    kind: 'cost',
    bound: 'most',
    target: 200,
    how: '`VmHWM` in `/proc/<pid>/status` of `onboard run`, and of its children if it has any; the largest counts.',
  },
  {
    id: 'memory-redis',
    measurement: 'million',
    title: '1,000,000 rows: peak resident memory of the embedded Redis',
    unit: 'MB',
    kind: 'cost',
    bound: 'most',
    target: 150,
    how: '`VmHWM` of the server that this run started; its own `used_memory_peak` stands beside it in performance.json. The short-lived child that rewrites the log is not counted.',
  },
  {
    id: 'million',
    measurement: 'million',
    title: 'time per row at 1,000,000 rows against 10,000',
    unit: '×',
    kind: 'speed',
    bound: 'most',
    target: 1.1,
    how: 'From the start of the run to its end, as summary.json has it: the start of the program is left out, or 10,000 rows would carry most of it.',
  },
  {
    id: 'first-row',
    measurement: 'first-row',
    title: "a new run's first row beside 1,000,000 others",
    unit: 's',
    kind: 'speed',
    bound: 'most',
    target: 2,
    how: 'One `onboard work` with 50 requests in flight has 1,000,000 rows under way at the service that answers after 50 ms; files of 200 rows come one after the other. From the moment a run is registered (`createdAt`) to the moment the service reads its first request.',
  },
  {
    id: 'start',
    measurement: 'start',
    title: 'start to first request of `onboard run`, embedded Redis, nothing running',
    unit: 's',
    kind: 'speed',
    bound: 'most',
    target: 0.6,
    how: "From the start of the process to the moment a server reads its first request: a fresh ONBOARD_HOME, 1,000 rows; the program's files are in the page cache.",
  },
  {
    id: 'version',
    measurement: 'version',
    title: '`onboard --version`',
    unit: 's',
    kind: 'speed',
    bound: 'most',
    target: 0.25,
    how: "From the start of the process to its exit; the program's files are in the page cache.",
  },
  {
    id: 'check',
    measurement: 'check',
    title: '`onboard check`, rows/s against csv-parse alone making an object of each row',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 0.5,
    how: 'Both processes from their start to their exit, on the same file, one after the other.',
  },
];
