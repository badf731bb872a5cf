/**
 * Writes a run's report (DESIGN.md, section 4): the whole of it from the ledger, in one pass over the settlements and in
 * memory that doesn't grow with the run, or the summary alone while the run goes on. Only one writer per folder at a
 * time. When anything fails, the report written before stays as it was.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { batchesOf } from '../lib/batches.ts';
import { passStage } from '../lib/stage.ts';
import { REMAINDER } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import type { LedgerView, RefusalBody, Settlement } from '../model/settlement.ts';
import { isTable } from '../model/source.ts';
import {
  claimReportDirectory,
  createPendingReport,
  DOCUMENTS_FILE,
  openPendingFile,
  type PendingReport,
  REJECTIONS_FILE,
  RESULTS_FILE,
  removeLeftOvers,
  SUMMARY_FILE,
} from './files.ts';
import {
  csvRemainder,
  ndjsonRemainder,
  REMAINDERS,
  type RemainderFormat,
  type RemainderRow,
} from './remainder.ts';
import { documentLines, rejectionLine, resultsHeader, resultsLines } from './results.ts';
import { type Summary, summarize, summarySchema, withWritten } from './summary.ts';
import { createTally, type Tally } from './tally.ts';

type ReportOptions = {
  readonly run: Run;
  readonly view: LedgerView;
  readonly directory: string;
  readonly now: () => Date;
  /** Files of an earlier writing that stay as they are: somebody's work is in them. */
  readonly keep?: readonly string[];
};

/** Writes the whole report of the run as the ledger has it. Nobody may call `writeSummary` on the folder at the same time. */
export async function writeReport({ run, view, directory, now, keep = [] }: ReportOptions): Promise<Summary> {
  const { hasSummary } = await claimReportDirectory(directory, run.id);
  await removeLeftOvers(directory, now());
  const format = isTable(run.source) ? csvRemainder(run) : ndjsonRemainder(run);
  const files = createPendingReport(directory, keep);
  try {
    // The summary says whose directory this is, so a new directory gets one before all other files. It has no exit
    // status: one with an exit status comes last, so that a report whose writer was killed is written again.
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

/** Writes `summary.json` alone, by rename, while the run goes on; without the commonest errors, for which every row has to be read. */
export async function writeSummary({
  run,
  directory,
  now,
}: Pick<ReportOptions, 'run' | 'directory' | 'now'>): Promise<Summary> {
  await claimReportDirectory(directory, run.id);
  const summary = summarize(run, [], now());
  const file = await openPendingFile(directory, SUMMARY_FILE);
  try {
    await file.append(textOf(summary));
    await file.seal();
    await file.publish();
    return summary;
  } finally {
    await file.discard();
  }
}

function textOf(summary: Summary): string {
  return `${JSON.stringify(summary, null, 2)}\n`;
}

/** The summary of a report that was written to its end; `null` where there is none that can be read. */
export async function readSummary(directory: string): Promise<Summary | null> {
  try {
    const summary = summarySchema.parse(JSON.parse(await readFile(join(directory, SUMMARY_FILE), 'utf8')));
    return summary.exitCode === null ? null : summary;
  } catch {
    return null;
  }
}

/** What one writing of a report works with. */
type Writing = {
  readonly run: Run;
  readonly view: LedgerView;
  readonly files: PendingReport;
  readonly format: RemainderFormat;
};

/** Writes every file of the report but the summary, in one pass over the settlements, and counts them. */
async function writeRows(writing: Writing): Promise<Tally> {
  const { run, view, files, format } = writing;
  const advising = { operation: run.operation, extension: format.extension };
  const tally = createTally(advising);
  await files.append(RESULTS_FILE, resultsHeader());
  await files.append(REJECTIONS_FILE, '');
  if (run.operation === 'payment.documents') await files.append(DOCUMENTS_FILE, '');
  for await (const settlements of view.settlements()) {
    settlements.forEach(tally.add);
    await files.append(RESULTS_FILE, resultsLines(settlements, advising));
    await writeRemainders(writing, settlements);
    if (run.operation === 'payment.documents') await writeDocuments(writing, settlements);
  }
  return tally;
}

async function writeRemainders(writing: Writing, settlements: readonly Settlement[]): Promise<void> {
  const unsuccessful = settlements.filter(({ outcome }) => REMAINDER[outcome] !== 'none');
  for (const batch of batchesOf(unsuccessful, LOOKUP_ROWS)) {
    const rows = await lookUp(writing.view, batch);
    await writeSources(writing, rows);
    await writeRejections(writing, rows);
  }
}

async function lookUp(
  view: LedgerView,
  settlements: readonly Settlement[],
): Promise<readonly RemainderRow[]> {
  const rejected = settlements.filter(({ outcome }) => outcome === 'rejected');
  const [sources, bodies] = await Promise.all([
    view.sources(settlements.map(({ row }) => row)),
    rejected.length === 0 ? new Map<number, RefusalBody>() : view.bodies(rejected.map(({ row }) => row)),
  ]);
  return settlements.map((settlement) => ({
    settlement,
    source: sources.get(settlement.row) ?? null,
    body: bodies.get(settlement.row) ?? null,
  }));
}

async function writeSources({ files, format }: Writing, rows: readonly RemainderRow[]): Promise<void> {
  for (const kind of REMAINDERS) {
    const name = `${kind}.${format.extension}`;
    const ofKind = rows.filter(({ settlement }) => REMAINDER[settlement.outcome] === kind);
    if (ofKind.length === 0) continue;
    if (!files.names().includes(name)) await files.append(name, format.header(kind));
    await files.append(name, format.lines(ofKind, kind));
  }
}

async function writeRejections({ run, files }: Writing, rows: readonly RemainderRow[]): Promise<void> {
  for (const row of rows) {
    if (row.settlement.outcome === 'rejected')
      await files.append(REJECTIONS_FILE, rejectionLine(run.id, row));
  }
}

async function writeDocuments({ view, files }: Writing, settlements: readonly Settlement[]): Promise<void> {
  const listed = settlements.filter(({ outcome }) => outcome === 'listed');
  for (const batch of batchesOf(listed, LOOKUP_ROWS)) {
    const documents = await view.documents(batch.map(({ row }) => row));
    for (const settlement of batch) {
      await files.append(DOCUMENTS_FILE, documentLines(settlement, documents.get(settlement.row) ?? '[]'));
    }
  }
}

/** Rows whose sources, bodies and documents are in memory at a time: these texts can have megabytes each. */
const LOOKUP_ROWS = 20;
