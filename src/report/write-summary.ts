import type { Run } from '../model/run.ts';
import { openPendingFile } from './pending-file.ts';
import { claimReportDirectory, SUMMARY_FILE } from './report-directory.ts';
import { type Summary, summarize, type TopError } from './summary.ts';

export type SummaryOptions = {
  readonly run: Run;
  readonly directory: string;
  readonly now: () => Date;
  /** Those of an earlier `writeReport`; none by default, since only reading every row finds them. */
  readonly topErrors?: readonly TopError[];
};

/** Writes `summary.json` alone, by rename: for every two seconds while the run is running. */
export async function writeSummary({
  run,
  directory,
  now,
  topErrors = [],
}: SummaryOptions): Promise<Summary> {
  await claimReportDirectory(directory, run.id);
  const summary = summarize(run, topErrors, now());
  const file = await openPendingFile(directory, SUMMARY_FILE);
  try {
    await file.append(`${JSON.stringify(summary, null, 2)}\n`);
    await file.seal();
    await file.publish();
    return summary;
  } finally {
    await file.discard();
  }
}
