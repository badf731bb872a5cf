import { REMAINDER } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import type { LedgerView, Settlement } from '../model/settlement.ts';
import { documentLines, rejectionLine } from './jsonl.ts';
import { groupsOf, LOOKUP_ROWS } from './lookup.ts';
import type { PendingReport } from './pending-report.ts';
import { REMAINDERS, type RemainderFormat } from './remainder-format.ts';
import type { RemainderRow } from './remainder-row.ts';
import { DOCUMENTS_FILE, REJECTIONS_FILE, RESULTS_FILE } from './report-directory.ts';
import { resultsHeader, resultsLines } from './results-csv.ts';
import { createTally, type Tally } from './tally.ts';

/** What one writing of a report works with. */
export type Writing = {
  readonly run: Run;
  readonly view: LedgerView;
  readonly files: PendingReport;
  readonly format: RemainderFormat;
};

/** Writes every file of the report but the summary, in one pass over the settlements, and counts them. */
export async function writeRows(writing: Writing): Promise<Tally> {
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
  for (const group of groupsOf(unsuccessful, LOOKUP_ROWS)) {
    const rows = await lookUp(writing.view, group);
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
    rejected.length === 0 ? new Map<number, string>() : view.bodies(rejected.map(({ row }) => row)),
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
  for (const group of groupsOf(listed, LOOKUP_ROWS)) {
    const documents = await view.documents(group.map(({ row }) => row));
    for (const settlement of group) {
      await files.append(DOCUMENTS_FILE, documentLines(settlement, documents.get(settlement.row) ?? '[]'));
    }
  }
}
