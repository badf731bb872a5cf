import { passStage } from '../lib/stage.ts';
import type { Run } from '../model/run.ts';
import type { LedgerView } from '../model/settlement.ts';
import { isTable } from '../model/source.ts';
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
  /** Files of an earlier writing that stay as they are: somebody's work is in them. */
  readonly keep?: readonly string[];
};

/**
 * Writes the whole report of the run as the ledger has it (DESIGN.md, section 4), in memory that doesn't grow with the
 * run. When anything fails, the report written before stays as it was. Only one writer per directory at a time: stop
 * the two-second `writeSummary` first.
 */
export async function writeReport({ run, view, directory, now, keep = [] }: ReportOptions): Promise<Summary> {
  const { hasSummary } = await claimReportDirectory(directory, run.id);
  await removeLeftOvers(directory, now());
  const format = isTable(run.source) ? csvRemainder(run) : ndjsonRemainder(run);
  const files = createPendingReport(directory, keep);
  try {
    // A summary says whose directory this is. It speaks of a whole report only as the last of the files: until then
    // that of a new directory has no exit status, so that a report whose writer was killed is written again.
    if (!hasSummary) {
      await files.claim(SUMMARY_FILE, textOf({ ...summarize(run, [], now()), exitCode: null }));
    }
    const tally = await writeRows({ run, view, files, format });
    const others = [...files.names(), ...keep].filter((name) => name !== SUMMARY_FILE);
    const counted = {
      outcomes: tally.outcomes(),
      records: tally.records(),
      topWarnings: tally.topWarnings(),
      files: others,
    };
    const summary = withWritten(summarize(run, tally.topErrors(), now()), counted);
    await files.append(SUMMARY_FILE, textOf(summary));
    passStage('reporting');
    await files.publish();
    passStage('reported');
    return summary;
  } finally {
    await files.discard();
  }
}

function textOf(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`;
}
