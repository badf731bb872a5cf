/** What was wrong in rows, for a run's digest and for a check; memory does not grow with them. */
import { noOutcomes, type OutcomeCounts, REMAINDER } from '../../model/outcome.ts';
import type { Settlement, Warning } from '../../model/settlement.ts';

type Told = Pick<Settlement, 'row' | 'outcome' | 'code' | 'warnings'> & {
  readonly issues: readonly Warning[];
};

const MAX_KINDS = 1_000;

export function createTally() {
  const outcomes = noOutcomes();
  const errors = createCounts<Pick<Told, 'outcome' | 'code'> & { readonly column: string | null }>();
  const issues = createCounts<Warning>();
  const warnings = createCounts<Warning>();
  return {
    add({ row, outcome, code, issues: wrong, warnings: found }: Told) {
      outcomes[outcome] += 1;
      if (REMAINDER[outcome] !== 'none')
        errors.count({ outcome, code, column: wrong[0]?.column ?? null }, row);
      for (const { code: of, column } of wrong) issues.count({ code: of, column }, row);
      this.warn(row, found);
    },
    /** Damaged-looking cells in a row of which nothing else is known yet. */
    warn(row: number, found: readonly Warning[]) {
      for (const { code, column } of found) warnings.count({ code, column }, row);
    },
    outcomes: (): OutcomeCounts => ({ ...outcomes }),
    /** Each row once, by the first column that is wrong in it. */
    errors: errors.commonest,
    issues: issues.commonest,
    warnings: warnings.commonest,
  };
}

function createCounts<Kind extends object>() {
  const found = new Map<string, { readonly kind: Kind; count: number; readonly exampleRow: number }>();
  return {
    count(kind: Kind, row: number) {
      const mark = JSON.stringify(kind);
      const known = found.get(mark) ?? { kind, count: 0, exampleRow: row };
      known.count += 1;
      if (known.count === 1 && found.size < MAX_KINDS) found.set(mark, known);
    },
    /** Commonest first; among equals, the one that came first. */
    commonest: () =>
      [...found.values()]
        .map(({ kind, ...counted }) => ({ ...kind, ...counted }))
        .sort((a, b) => b.count - a.count || a.exampleRow - b.exampleRow),
  };
}
