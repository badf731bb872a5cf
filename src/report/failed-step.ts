import { OUTCOMES, REMAINDER } from '../model/outcome.ts';
import type { Summary } from './summary.ts';

/** What the rows of the file of failed rows need before it is loaded. */
export type FailedStep = 'mend' | 'mend-some' | 'load' | 'settle' | 'settle-load' | 'settle-mend';

/** These are settled where they are in doubt; the last one is never sent from a report file. */
const IN_DOUBT: ReadonlySet<string> = new Set(['key_in_doubt', 'row_in_doubt']);

/** By why the rows failed; `mend` where that is not known of each of them. */
export function failedStep({ topErrors, outcomes }: Pick<Summary, 'topErrors' | 'outcomes'>): FailedStep {
  const errors = topErrors.filter(({ outcome }) => REMAINDER[outcome] === 'failed');
  const told = errors.reduce((sum, { count }) => sum + count, 0);
  const all = OUTCOMES.reduce(
    (n, outcome) => n + (REMAINDER[outcome] === 'failed' ? outcomes[outcome] : 0),
    0,
  );
  const codes = new Set(told === all ? errors.map(({ code }) => code) : []);
  if (codes.size === 0) return 'mend';
  const open = [...codes].filter((code) => IN_DOUBT.has(code));
  if (open.length > 0 && open.length < codes.size) return 'settle-mend';
  if (open.length > 0) return codes.has('key_in_doubt') ? 'settle-load' : 'settle';
  if (!codes.has('not_created')) return 'mend';
  return codes.size === 1 ? 'load' : 'mend-some';
}
