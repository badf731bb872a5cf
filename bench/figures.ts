/** How a figure is written: `%` a share of 1, `×` a ratio, the others as they stand. */
export type Unit = '%' | '×' | 'MB' | 's' | 'µs' | 'rows' | 'writes';

/** One line of the table: what is measured, and what it has to be; docs/performance.md says how. */
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
  },
  {
    id: 'bare',
    measurement: 'bare',
    title: 'rows/s against a bare loop that records nothing, everything durable',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 0.55,
  },
  {
    id: 'job-per-row',
    measurement: 'job-per-row',
    title: 'rows/s against one BullMQ job per row',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 3.5,
  },
  {
    id: 'writes',
    measurement: 'writes',
    title: 'scripts that write, per 100 rows at full speed',
    unit: 'writes',
    kind: 'cost',
    bound: 'most',
    target: 4,
  },
  {
    id: 'in-doubt',
    measurement: 'in-doubt',
    title: 'rows in doubt after a kill at full speed',
    unit: 'rows',
    kind: 'cost',
    bound: 'most',
    target: 270,
  },
  {
    id: 'slow-service',
    measurement: 'slow-service',
    title: 'a service that answers after 50 ms, 50 requests in flight: share of the possible 1,000 rows/s',
    unit: '%',
    kind: 'speed',
    bound: 'least',
    target: 0.98,
  },
  {
    id: 'workers-2',
    measurement: 'workers',
    title: '2 `onboard work` processes on that service, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 1.95,
  },
  {
    id: 'workers-4',
    measurement: 'workers',
    title: '4 `onboard work` processes on that service, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 3.6,
  },
  {
    id: 'redis-cpu',
    measurement: 'workers',
    title: 'CPU of Redis a row, one such process',
    unit: 'µs',
    kind: 'cost',
    bound: 'most',
    target: 60,
  },
  {
    id: 'light-workers-2',
    measurement: 'light-workers',
    title: '2 such processes with 20 requests in flight each, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 1.9,
  },
  {
    id: 'light-workers-4',
    measurement: 'light-workers',
    title: '4 such processes with 20 requests in flight each, against one',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 3.7,
  },
  {
    id: 'memory',
    measurement: 'million',
    title: '1,000,000 rows: peak resident memory of the process',
    unit: 'MB',
    kind: 'cost',
    bound: 'most',
    target: 200,
  },
  {
    id: 'memory-redis',
    measurement: 'million',
    title: '1,000,000 rows: peak resident memory of the embedded Redis',
    unit: 'MB',
    kind: 'cost',
    bound: 'most',
    target: 150,
  },
  {
    id: 'million',
    measurement: 'million',
    title: 'time per row at 1,000,000 rows against 10,000',
    unit: '×',
    kind: 'speed',
    bound: 'most',
    target: 1.1,
  },
  {
    id: 'first-row',
    measurement: 'first-row',
    title: "a new run's first row beside 1,000,000 others",
    unit: 's',
    kind: 'speed',
    bound: 'most',
    target: 2,
  },
  {
    id: 'start',
    measurement: 'start',
    title: 'start to first request of `onboard run`, embedded Redis, nothing running',
    unit: 's',
    kind: 'speed',
    bound: 'most',
    target: 0.6,
  },
  {
    id: 'version',
    measurement: 'version',
    title: '`onboard --version`',
    unit: 's',
    kind: 'speed',
    bound: 'most',
    target: 0.25,
  },
  {
    id: 'check',
    measurement: 'check',
    title: '`onboard check`, rows/s against csv-parse alone making an object of each row',
    unit: '×',
    kind: 'speed',
    bound: 'least',
    target: 0.5,
  },
];
