import type { LedgerView } from '../model/ledger-view.ts';
import type { Run } from '../model/run.ts';
import { createPendingReport } from './pending-report.ts';
import { csvRemainder } from './remainder-csv.ts';
import { ndjsonRemainder } from './remainder-ndjson.ts';
import { claimReportDirectory, removeLeftOvers, SUMMARY_FILE } from './report-directory.ts';
import { type Summary, summarize, withWritten } from './summary.ts';
import { writeRows } from './write-rows.ts';

export type ReportOptions = {
  readonly run: Run;
  readonly view: LedgerView;
  readonly directory: string;
  readonly now: () => Date;
};

/**
 * Writes the whole report of the run as the ledger has it (DESIGN.md, section 4), in memory that doesn't grow with the
 * run. When anything fails, the report written before stays as it was. Only one writer per directory at a time: stop
 * the two-second `writeSummary` first.
 */
export async function writeReport({ run, view, directory, now }: ReportOptions): Promise<Summary> {
  const { hasSummary } = await claimReportDirectory(directory, run.id);
  await removeLeftOvers(directory, now());
  const format = run.source.type === 'csv' ? csvRemainder(run) : ndjsonRemainder(run);
  const files = createPendingReport(directory);
  try {
    // The summary says whose directory this is: it comes first in a new one. In an old one it comes last, so that
    // it never speaks of files that are not there yet.
    if (!hasSummary) await files.append(SUMMARY_FILE, '');
    const tally = await writeRows({ run, view, files, format });
    const others = files.names().filter((name) => name !== SUMMARY_FILE);
    const counted = { outcomes: tally.outcomes(), files: others };
    const summary = withWritten(summarize(run, tally.topErrors(), now()), counted);
    await files.append(SUMMARY_FILE, `${JSON.stringify(summary, null, 2)}\n`);
    await files.publish();
    return summary;
  } finally {
    await files.discard();
  }
}
