import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { EntityKind } from '../../../src/sandbox/records.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { findUntruths, type SummaryPart, type Truth } from './untruths.ts';

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
