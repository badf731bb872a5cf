/** Values of the rounds, and what they were computed from. */
import type { Spent } from './cpu.ts';
import type { FigureId } from './figures.ts';

/** What a figure was measured as: one value per round, in its unit. */
export type Samples = {
  readonly figure: FigureId;
  readonly values: readonly number[];
  /** The greatest share of the machine (0 to 1) that others used during each round; empty where that can't be measured. */
  readonly others: readonly number[];
  /** What the values were computed from, by name: one per round, in rounds' order. */
  readonly details: Details;
};

type Details = Readonly<Record<string, readonly number[]>>;

/** What a run took of the processors; `null` where that can't be measured. */
export type RunCost = {
  /** µs of CPU a row: `All` processes, the `Program` with its threads, and those that were asked for by name. */
  readonly cpuMicros: Readonly<Record<string, number>>;
  readonly others: number;
} | null;

/** The rows per second of a run: of the whole process, and as it says itself where it does. */
export type Rate = {
  readonly rowsPerSecond: number;
  readonly ownRowsPerSecond?: number;
  readonly cost: RunCost;
};

/** A row's part of what was spent; what no name was asked for is the program. */
export function costOfRow(spent: Spent | null, rows: number): RunCost {
  if (spent === null) return null;
  const parts = Object.entries(spent.partMicros);
  const program = parts.reduce((rest, [, micros]) => rest - micros, spent.micros);
  const all = [['All', spent.micros] as const, ['Program', program] as const, ...parts];
  return {
    cpuMicros: Object.fromEntries(all.map(([name, micros]) => [name, micros / rows])),
    others: spent.others,
  };
}

/** Our rate against theirs, round by round. */
export function ratioSamples(figure: FigureId, pairs: readonly Pair<Rate>[]): Samples {
  const ours = pairs.map((pair) => pair.ours);
  const theirs = pairs.map((pair) => pair.theirs);
  return {
    figure,
    values: pairs.map((pair) => pair.ours.rowsPerSecond / pair.theirs.rowsPerSecond),
    others: othersOf(pairs.map((pair) => [pair.ours.cost, pair.theirs.cost])),
    details: {
      rowsPerSecond: ours.map(({ rowsPerSecond }) => rowsPerSecond),
      peerRowsPerSecond: theirs.map(({ rowsPerSecond }) => rowsPerSecond),
      ...own(ours),
      ...costDetails(
        'cpu',
        ours.map(({ cost }) => cost),
      ),
      ...costDetails(
        'peerCpu',
        theirs.map(({ cost }) => cost),
      ),
    },
  };
}

function own(rates: readonly Rate[]): Details {
  const summaryRowsPerSecond = rates.flatMap(({ ownRowsPerSecond }) => ownRowsPerSecond ?? []);
  return summaryRowsPerSecond.length === 0 ? {} : { summaryRowsPerSecond };
}

/** CPU a row of one part of the runs; none where it can't be measured. */
export function cpuSamples(figure: FigureId, part: string, costs: readonly RunCost[]): readonly Samples[] {
  const values = costs.flatMap((cost) => cost?.cpuMicros[part] ?? []);
  if (values.length < costs.length) return [];
  return [
    { figure, values, others: othersOf(costs.map((cost) => [cost])), details: costDetails('cpu', costs) },
  ];
}

/** `<prefix>All`, `<prefix>Program` and so on, µs of CPU a row, and `<prefix>Others`; nothing where it can't be measured. */
export function costDetails(prefix: string, costs: readonly RunCost[]): Details {
  const measured = costs.flatMap((cost) => cost ?? []);
  const [first] = measured;
  if (first === undefined) return {};
  const parts = Object.keys(first.cpuMicros).map(
    (part) => [`${prefix}${part}`, measured.map(({ cpuMicros }) => cpuMicros[part] ?? 0)] as const,
  );
  return { ...Object.fromEntries(parts), [`${prefix}Others`]: measured.map(({ others }) => others) };
}

/** The greatest of each round's runs; empty where it can't be measured. */
export function othersOf(rounds: readonly (readonly (Pick<Spent, 'others'> | null)[])[]): readonly number[] {
  const shares = rounds.map((runs) => runs.flatMap((run) => run?.others ?? []));
  return shares.some((round) => round.length === 0) ? [] : shares.map((round) => Math.max(...round));
}

/** What several runs of one measurement say together. */
type Spread = { readonly median: number; readonly low: number; readonly high: number };

/** The middle value, or the mean of the two in the middle; an Error for none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const high = sorted[Math.floor(sorted.length / 2)];
  const low = sorted[Math.ceil(sorted.length / 2) - 1];
  if (low === undefined || high === undefined) throw new Error('no values: expected at least one');
  return (low + high) / 2;
}

/** Median, least and greatest of the values; an Error for none. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values) };
}

/** One round: what either side came to. */
type Pair<T> = { readonly ours: T; readonly theirs: T };

/** Runs both sides in every round, the other one first in every second: what drifts meanwhile drifts for both. */
export async function alternate<T>(
  rounds: number,
  sides: { ours(): Promise<T>; theirs(): Promise<T> },
): Promise<readonly Pair<T>[]> {
  const pairs: Pair<T>[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) {
      const ours = await sides.ours();
      pairs.push({ ours, theirs: await sides.theirs() });
    } else {
      const theirs = await sides.theirs();
      pairs.push({ ours: await sides.ours(), theirs });
    }
  }
  return pairs;
}
