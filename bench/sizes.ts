/** How many rows the measurements take, and how often. */
export type Sizes = {
  readonly rounds: number;
  /** Where rows per second are measured. */
  readonly rows: number;
  /** On the service that answers after 50 ms: one process, and for each of several. */
  readonly slowRows: number;
  readonly rowsPerWorker: number;
  /** The long run and the short one it is compared with, and how often. */
  readonly longRows: number;
  readonly shortRows: number;
  readonly longRounds: number;
};

/** What the figures are about. */
export const FULL: Sizes = {
  rounds: 5,
  rows: 100_000,
  slowRows: 20_000,
  rowsPerWorker: 10_000,
  longRows: 1_000_000,
  shortRows: 10_000,
  longRounds: 3,
};

/** Enough to see that everything works, too little to believe the numbers. */
export const QUICK: Sizes = {
  rounds: 3,
  rows: 20_000,
  slowRows: 5_000,
  rowsPerWorker: 3_000,
  longRows: 50_000,
  shortRows: 5_000,
  longRounds: 1,
};
