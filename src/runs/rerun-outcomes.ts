import { didYouMean } from '../lib/did-you-mean.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Outcome } from '../model/outcome.ts';

/** The outcomes whose rows may be sent again; of a row in doubt nobody knows whether it was carried out. */
export const RERUN_OUTCOMES = [
  'rejected',
  'failed',
  'denied',
  'invalid',
  'cancelled',
] as const satisfies readonly Outcome[];

/** What `--only` names, all of them where it names nothing; a UsageError lists what can't be taken up again. */
export function rerunOutcomes(only: readonly string[]): ReadonlySet<Outcome> {
  const names = only.flatMap((list) => list.split(',')).map((name) => name.trim());
  const wrong = names.filter((name) => RERUN_OUTCOMES.every((outcome) => outcome !== name));
  if (wrong.length > 0) throw new UsageError(wrong.map(problemOf));
  return new Set(RERUN_OUTCOMES.filter((outcome) => names.length === 0 || names.includes(outcome)));
}

function problemOf(name: string): string {
  const expected = `--only "${name}": expected some of ${RERUN_OUTCOMES.join(', ')}.`;
  if (name !== 'in-doubt') return `${expected}${didYouMean(name, RERUN_OUTCOMES)}`;
  return `${expected} Rows in doubt may have been created: \`onboard resolve\` settles them first.`;
}
