import { type Summary, summarySchema } from '../src/report/summary.ts';
import { type Bench, succeeded } from './bench.ts';
import type { Ended, Started } from './processes.ts';

/** Where a process of the program works. */
export type Place = {
  readonly home: string;
  readonly serviceUrl: string;
  /** `null`: the embedded server. */
  readonly redisUrl: string | null;
  /** The folder of job definitions, where one is needed. */
  readonly jobs?: string;
};

/** Starts the built program as its users do. */
export function startOnboard(bench: Bench, args: readonly string[], place: Place): Started {
  const env = {
    ONBOARD_HOME: place.home,
    MSB_BASE_URL: place.serviceUrl,
    MSB_TOKEN: 'bench',
    ...(place.jobs === undefined ? {} : { ONBOARD_JOBS: place.jobs }),
    ...(place.redisUrl === null ? {} : { REDIS_URL: place.redisUrl }),
  };
  return bench.processes.start(process.execPath, [bench.options.program, ...args], env);
}

/** Starts `onboard run` on a file of the bench. */
export function startRun(bench: Bench, file: string, place: Place): Started {
  return startOnboard(bench, ['run', '--job-file', bench.job, file, '--json'], place);
}

/** The summary of a run that created every row; an Error where it did not. */
export function createdAll(ended: Ended, rows: number): Summary {
  const { stdout } = succeeded(ended, 'onboard');
  const summary = summarySchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  if (summary.outcomes.created === rows && summary.controlTotal.holds) return summary;
  throw new Error(`${rows} rows were to be created, but: ${JSON.stringify(summary.outcomes)}`);
}
