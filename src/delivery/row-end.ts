import type { Verdict } from '../model/request.ts';
import type { Retry } from './retry-policy.ts';
import type { RowEnd } from './row-task.ts';

type Final = Exclude<Verdict, { kind: 'retry' | 'stop' }>;

/** What a final verdict makes of the row. `everUnknown`: an earlier attempt may have created it (`onUnknownOutcome: retry`). */
export function endOf(verdict: Final, everUnknown: boolean): RowEnd {
  switch (verdict.kind) {
    case 'accepted':
      return acceptedEnd(verdict);
    case 'refused': {
      const { status, code, message, body } = verdict;
      return { outcome: everUnknown ? 'in-doubt' : verdict.outcome, status, code, message, body };
    }
    case 'unknown':
      return {
        outcome: 'in-doubt',
        status: verdict.status ?? 0,
        code: verdict.code,
        message: verdict.message,
      };
    default:
      return verdict satisfies never;
  }
}

/** The end of a row that the service accepted: at which attempt, and how long that took (ms). */
export function acceptedEnd(
  { outcome, status, id, warning, documents }: Extract<Final, { kind: 'accepted' }>,
  attempts = 0,
  ms = 0,
): RowEnd {
  return {
    outcome,
    status,
    id: id ?? '',
    attempts,
    ms,
    code: warning === null ? '' : 'warning',
    message: warning ?? '',
    documents: documents ?? '',
  };
}

/** The end of a row whose attempts are used up. */
export function gaveUp(verdict: Retry, made: number, everUnknown: boolean): RowEnd {
  return {
    outcome: everUnknown ? 'in-doubt' : 'failed',
    status: verdict.status ?? 0,
    code: verdict.code,
    message: `gave up after ${made} attempts: ${verdict.message}`,
  };
}
