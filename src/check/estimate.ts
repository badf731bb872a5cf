import { type JobDefinition, ratePerSecond } from '../config/job-definition.ts';

/** How long the sending would take, and how that is known. */
export type Estimate = {
  /** Requests to be made. */
  readonly requests: number;
  readonly seconds: number;
  /** `rate`: the job's `send.rate`. `last-run`: the job's last finished run. `assumption`: answers take ASSUMED_MS. */
  readonly basis: 'rate' | 'last-run' | 'assumption';
  /** Requests per second; rows per second where it is the last run's. */
  readonly perSecond: number;
  /** The last run, where it is what the estimate goes by. */
  readonly run: string | null;
};

/** An answer's duration where nothing is known of the service. */
export const ASSUMED_MS = 100;

export function estimateOf(
  { rows, requests }: { readonly rows: number; readonly requests: number },
  { send }: Pick<JobDefinition, 'send'>,
  last: { readonly run: string; readonly rowsPerSecond: number } | null,
): Estimate {
  const of = (basis: Estimate['basis'], perSecond: number, count: number) => ({
    requests,
    seconds: Math.ceil(count / perSecond),
    basis,
    perSecond,
    run: basis === 'last-run' ? (last?.run ?? null) : null,
  });
  if (send.rate !== undefined) return of('rate', ratePerSecond(send.rate), requests);
  if (last !== null) return of('last-run', last.rowsPerSecond, rows);
  return of('assumption', send.concurrency / (ASSUMED_MS / 1000), requests);
}
