import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { guardCell } from '../../../src/lib/formula-guard.ts';
import { OUTCOMES, type Outcome } from '../../../src/model/outcome.ts';
import type { Summary } from '../../../src/runs/report/summary.ts';
import type { Entity, EntityKind } from '../../../src/sandbox/records.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';

const SHOWN_MAX = 20;

export type TruthOptions = {
  readonly sandbox: Pick<Sandbox, 'stats' | 'entities'>;
  /** The `ONBOARD_HOME` that has the report. */
  readonly home: string;
  readonly summary: SummaryPart;
  /** The input's keys, row by row. */
  readonly keys: readonly string[];
  /** Default `subclient`. */
  readonly kind?: EntityKind;
  /** How many entities there were before the run; default 0. */
  readonly madeBefore?: number;
  /** What the run is to have come to; default `finished`. */
  readonly state?: SummaryPart['state'];
};

/**
 * Compares a finished run's report with what the service really did: nothing twice, nothing lost, nothing misreported.
 * Throws an Error that names the rows; answers how many of the rows in doubt were made, and how many not.
 */
export async function assertTruth(options: TruthOptions): Promise<Truth> {
  const { sandbox, home, summary, keys, kind = 'subclient', madeBefore = 0, state = 'finished' } = options;
  const text = await readFile(join(home, 'reports', summary.run, 'results.csv'), 'utf8');
  const results: Array<Record<string, string>> = parse(text, { columns: true });
  const { duplicates, duplicateKeys } = sandbox.stats();
  const { problems, truth } = findUntruths({
    summary,
    results,
    keys,
    made: [...sandbox.entities(kind, madeBefore)],
    duplicates,
    duplicateKeys,
    state,
  });
  if (problems.length === 0) return truth;
  const more = problems.length > SHOWN_MAX ? [`… and ${problems.length - SHOWN_MAX} more`] : [];
  throw new Error(['The report is not true:', ...problems.slice(0, SHOWN_MAX), ...more].join('\n  '));
}

/** A line of `results.csv`, column by column. */
export type ResultLine = Readonly<Record<string, string>>;

/** What is compared of a run's summary. */
export type SummaryPart = Pick<Summary, 'run' | 'state' | 'reason' | 'rows' | 'outcomes' | 'controlTotal'>;

export type Evidence = {
  readonly summary: SummaryPart;
  readonly results: readonly ResultLine[];
  /** The input's keys, row by row. */
  readonly keys: readonly string[];
  /** What the service made for this run. */
  readonly made: readonly Entity[];
  /** What the run is to have come to; default `finished`. */
  readonly state?: Summary['state'];
} & Pick<ReturnType<Sandbox['stats']>, 'duplicates' | 'duplicateKeys'>;

/** What became of the rows in doubt at the service. */
export type Truth = { readonly made: number; readonly inDoubtMade: number; readonly inDoubtNotMade: number };

/** Outcomes that say an entity was made. */
const MAKING: ReadonlySet<string> = new Set<Outcome>(['created', 'drafted']);

/** Every way in which the report and the service disagree, a sentence each; none: the report is true. */
export function findUntruths(evidence: Evidence): {
  readonly problems: readonly string[];
  readonly truth: Truth;
} {
  const { results, made } = evidence;
  const madeKeys = new Set(made.map(({ key }) => guardCell(key ?? '')));
  const inDoubt = results.filter(({ outcome }) => outcome === 'in-doubt');
  const inDoubtMade = inDoubt.filter(({ key = '' }) => madeKeys.has(key)).length;
  return {
    problems: [
      ...duplicateProblems(evidence),
      ...totalProblems(evidence),
      ...rowProblems(evidence),
      ...outcomeProblems(results),
      ...identityProblems(evidence),
      ...entityProblems(evidence),
    ],
    truth: { made: made.length, inDoubtMade, inDoubtNotMade: inDoubt.length - inDoubtMade },
  };
}

/** A sentence for each key the service made more than once, of those it lists, and one for how many there are. */
export function duplicateProblems(
  stats: Pick<ReturnType<Sandbox['stats']>, 'duplicates' | 'duplicateKeys'>,
): string[] {
  if (stats.duplicateKeys === 0) return [];
  return [
    `${stats.duplicateKeys} keys were made more than once`,
    ...stats.duplicates.map(({ key, count, ids }) => `${key} was made ${count} times: ${ids.join(', ')}`),
  ];
}

function totalProblems({ summary, results, keys, state = 'finished' }: Evidence): string[] {
  const problems: string[] = [];
  if (summary.state !== state)
    problems.push(`the run is ${summary.state} (${summary.reason ?? 'no reason'}), not ${state}`);
  if (!summary.controlTotal.holds) problems.push('the control total does not hold');
  if (summary.rows !== keys.length)
    problems.push(`the summary has ${summary.rows} rows, the input ${keys.length}`);
  for (const outcome of OUTCOMES) {
    const lines = results.filter((line) => line.outcome === outcome).length;
    if (lines !== summary.outcomes[outcome])
      problems.push(`the summary has ${summary.outcomes[outcome]} rows ${outcome}, results.csv ${lines}`);
  }
  return problems;
}

/** Every row of the input exactly once, in order. */
function rowProblems({ results, keys }: Evidence): string[] {
  const seen = new Map<number, number>();
  for (const line of results) seen.set(Number(line.row), (seen.get(Number(line.row)) ?? 0) + 1);
  const problems: string[] = [];
  keys.forEach((key, i) => {
    const times = seen.get(i + 1) ?? 0;
    if (times !== 1) problems.push(`row ${i + 1} (${key}) is ${times} times in results.csv`);
    seen.delete(i + 1);
  });
  for (const row of seen.keys()) problems.push(`row ${row} of results.csv is not in the input`);
  results.forEach((line, i) => {
    const before = Number(results[i - 1]?.row ?? 0);
    if (Number(line.row) < before) problems.push(`row ${line.row} comes after row ${before} in results.csv`);
    const expected = guardCell(keys[Number(line.row) - 1] ?? '');
    if (line.key !== expected)
      problems.push(`row ${line.row} has the key ${line.key}, the input ${expected}`);
  });
  return problems;
}

function outcomeProblems(results: readonly ResultLine[]): string[] {
  const known: ReadonlySet<string> = new Set(OUTCOMES);
  return results
    .filter(({ outcome = '' }) => !known.has(outcome))
    .map(({ row, outcome }) => `row ${row} has the outcome "${outcome}"`);
}

/** A row that says it was made has the identifier of an entity of its own key, and no other row has the same. */
function identityProblems({ results, made }: Evidence): string[] {
  const byId = new Map(made.map((entity) => [entity.id, entity]));
  const rowOfId = new Map<string, string>();
  return results
    .filter(({ outcome = '' }) => MAKING.has(outcome))
    .flatMap(({ row = '', key, id = '', outcome }) => {
      const entity = byId.get(id);
      const other = rowOfId.get(id);
      rowOfId.set(id, row);
      if (entity === undefined) return [`row ${row} (${key}) is ${outcome} as "${id}", which was never made`];
      if (guardCell(entity.key ?? '') !== key)
        return [`row ${row} (${key}) is ${outcome} as ${id}, which has the key ${entity.key}`];
      return other === undefined ? [] : [`rows ${other} and ${row} are ${outcome} as the same ${id}`];
    });
}

/** An entity belongs to a row that was made or is in doubt: what was refused, skipped or never sent made none. */
function entityProblems({ results, made }: Evidence): string[] {
  const rowsOf = new Map<string, ResultLine[]>();
  for (const line of results) {
    const rows = rowsOf.get(line.key ?? '');
    if (rows === undefined) rowsOf.set(line.key ?? '', [line]);
    else rows.push(line);
  }
  const madeRowIds = new Set(results.filter((r) => MAKING.has(r.outcome ?? '')).map((r) => r.id));
  const problems: string[] = [];
  for (const { id, key } of made) {
    const rows = rowsOf.get(guardCell(key ?? '')) ?? [];
    if (madeRowIds.has(id) || rows.some(({ outcome }) => outcome === 'in-doubt')) continue;
    const said =
      rows.map(({ row, outcome }) => `row ${row} is ${outcome}`).join(', ') || 'no row has that key';
    problems.push(`${id} (${key}) was made, but ${said}`);
  }
  return problems;
}
