/**
 * Writes a run's report in one pass over its chunks, in memory that doesn't grow with the run.
 * Where anything fails, the earlier report stays as it was.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobDefinition } from '../../config/job-definition.ts';
import { batchesOf } from '../../lib/batches.ts';
import { passStage } from '../../lib/stage.ts';
import { printableLines } from '../../lib/terminal.ts';
import { programVersion } from '../../lib/version.ts';
import type { Account } from '../../model/account.ts';
import type { AuditHead } from '../../model/audit.ts';
import type { FieldCatalog } from '../../model/mapping.ts';
import type { Notes } from '../../model/note.ts';
import { REMAINDER } from '../../model/outcome.ts';
import type { Run } from '../../model/run.ts';
import { type LedgerView, type SettledChunk, type Settlement, wasRefused } from '../../model/settlement.ts';
import type { Happening } from '../../model/story.ts';
import { callOfNew, isList } from '../../operations/operations.ts';
import type { CauseIds } from './causes.ts';
import { createDigestTally, type Digest, type DigestTally, digestSchema } from './digest.ts';
import {
  claimReportDirectory,
  createPendingReport,
  DIGEST_FILE,
  DOCUMENTS_FILE,
  PAGE_FILE,
  type PendingReport,
  REJECTIONS_FILE,
  RESULTS_FILE,
  removeLeftOvers,
  replaceFile,
  SUMMARY_FILE,
} from './files.ts';
import { renderReport } from './html/page.tsx';
import {
  bareRemainder,
  REMAINDERS,
  type RemainderFormat,
  type RemainderRow,
  remainderFormat,
  unsuccessfulIn,
} from './remainder.ts';
import { createRejections, documentLines, resultsFormat } from './results.ts';
import { type Summary, summarize, summarySchema, withWritten } from './summary.ts';

type ReportOptions = {
  readonly run: Run;
  readonly view: LedgerView;
  readonly directory: string;
  readonly now: () => Date;
  /** The fields of the operation's request, by which the service may name a problem. */
  readonly fields: Pick<FieldCatalog, 'has'>;
  readonly publicColumns?: ReadonlySet<string>;
  /** The run's own definition; `null`: the ledger no longer has it. */
  readonly definition: JobDefinition | null;
  /** What happened to the run; called when the page is written. */
  readonly story: () => Promise<readonly Happening[]>;
  /** Of the file that the rows come from; called with it. */
  readonly account: () => Promise<Account | null>;
  /** How far the audit has come; called with it. */
  readonly audit: () => Promise<AuditHead | null>;
  /** Notes on causes, by their ids; called with it. */
  readonly notes: (causes: readonly string[]) => Promise<Notes>;
  readonly knownCauses: () => Promise<CauseIds>;
  readonly command: string;
  /** Cells and words of the service in files to correct, also where the job keeps them out. */
  readonly originals?: boolean;
  /** Files of an earlier report that may be replaced: their changes are in the ledger. */
  readonly followed: readonly string[];
};

type Writing = Omit<ReportOptions, 'originals'> & {
  readonly hasOriginals: boolean;
  readonly files: PendingReport;
  readonly format: RemainderFormat;
  readonly results: ReturnType<typeof resultsFormat>;
  readonly rejection: ReturnType<typeof createRejections>;
  readonly digest: DigestTally;
};

/** Nobody may call `writeSummary` on the folder at the same time. */
export async function writeReport(options: ReportOptions): Promise<Summary> {
  const { run, directory, now, view, definition } = options;
  await claimReportDirectory(directory, run.id);
  await removeLeftOvers(directory, now());
  const hasOriginals = options.originals === true || definition?.report.originals !== false;
  const format = hasOriginals ? remainderFormat(run) : bareRemainder(run);
  const advising = { ...run, extension: format.extension };
  const files = createPendingReport(directory);
  const digest = createDigestTally({ ...options, advising });
  const results = resultsFormat(run.source, advising);
  const rejection = createRejections(run.id);
  const writing = { ...options, hasOriginals, files, format, results, rejection, digest };
  try {
    await writeHeads(writing);
    for await (const chunk of view.chunks()) await writeChunk(chunk, writing);
    return await publish(writing);
  } finally {
    await files.discard();
  }
}

async function writeHeads({ run, files, results, hasOriginals }: Writing): Promise<void> {
  await files.append(RESULTS_FILE, results.header);
  if (!hasOriginals) return;
  await files.append(REJECTIONS_FILE, '');
  if (isList(callOfNew(run.operation))) await files.append(DOCUMENTS_FILE, '');
}

async function writeChunk(chunk: SettledChunk, writing: Writing): Promise<void> {
  const { run, files, digest, results, rejection, view, hasOriginals } = writing;
  const { settlements } = chunk;
  digest.add(chunk);
  await files.append(RESULTS_FILE, results.lines(settlements));
  for await (const rows of unsuccessfulIn(settlements, view)) {
    for (const row of rows) digest.addUnsuccessful(row);
    // Nothing is left to correct them by.
    if (run.purged !== undefined) continue;
    await writeSources(writing, rows);
    for (const row of rows)
      if (hasOriginals && wasRefused(row.settlement)) await files.append(REJECTIONS_FILE, rejection(row));
  }
  if (hasOriginals && isList(callOfNew(run.operation))) await writeDocuments(writing, settlements);
}

async function writeSources({ files, format }: Writing, rows: readonly RemainderRow[]): Promise<void> {
  for (const kind of REMAINDERS) {
    const name = `${kind}.${format.extension}`;
    const ofKind = rows.filter(({ settlement }) => REMAINDER[settlement.outcome] === kind);
    if (ofKind.length === 0) continue;
    if (!files.has(name)) await files.append(name, format.header(kind));
    await files.append(name, format.lines(ofKind, kind));
  }
}

/** In memory at a time: documents can have megabytes each. */
const LOOKUP_ROWS = 20;

async function writeDocuments({ view, files }: Writing, settlements: readonly Settlement[]): Promise<void> {
  const listed = settlements.filter(({ outcome }) => outcome === 'listed');
  for (const batch of batchesOf(listed, LOOKUP_ROWS)) {
    const documents = await view.documents(batch.map(({ row }) => row));
    for (const settlement of batch)
      await files.append(DOCUMENTS_FILE, documentLines(settlement, documents.get(settlement.row) ?? '[]'));
  }
}

async function publish(writing: Writing): Promise<Summary> {
  const { run, directory, now, followed, files, hasOriginals } = writing;
  const digest = writing.digest.digest();
  const written = () => claimReportDirectory(directory, run.id);
  const before = await written();
  const placed = await files.place({ written: before, writtenMeanwhile: written, followed });
  const pages = [DIGEST_FILE, PAGE_FILE];
  const numbers = summarize(run, now());
  const of = { account: await writing.account(), audit: await writing.audit() };
  const all = { ...placed, files: [...placed.files, ...pages], originals: hasOriginals };
  const summary = withWritten(numbers, { ...all, digest, ...of });
  await writePages(summary, digest, writing);
  await files.append(SUMMARY_FILE, textOf(summary));
  passStage('reporting');
  // Has the digests of the files as they were and as they will be. The summary with an exit status
  // comes last: without it a report is written again.
  await files.publish(textOf({ ...numbers, exitCode: null, written: [...before, ...placed.written] }));
  passStage('reported');
  return summary;
}

async function writePages(summary: Summary, digest: Digest, writing: Writing): Promise<void> {
  const { directory, command, definition, files } = writing;
  // The report is written even where these can't be read.
  const story = await writing.story().catch(() => []);
  const notes = await writing.notes(digest.causes.map(({ id }) => id)).catch((): Notes => new Map());
  const knownCauses = await writing.knownCauses().catch(() => null);
  const told = { summary, digest, story, notes, knownCauses, definition };
  const page = { ...told, directory, command, version: programVersion() };
  await files.append(DIGEST_FILE, printableLines(`${JSON.stringify(digest)}\n`));
  await files.append(PAGE_FILE, renderReport(page));
}

/** `summary.json` alone, while the run goes on: without what needs all rows. */
export async function writeSummary({
  run,
  directory,
  now,
}: Pick<ReportOptions, 'run' | 'directory' | 'now'>): Promise<Summary> {
  const written = await claimReportDirectory(directory, run.id);
  const summary = { ...summarize(run, now()), written: [...written] };
  await replaceFile(directory, SUMMARY_FILE, textOf(summary));
  return summary;
}

function textOf(summary: Summary): string {
  return printableLines(`${JSON.stringify(summary, null, 2)}\n`);
}

/** `null`: none can be read. */
export async function readDigest(directory: string): Promise<Digest | null> {
  try {
    return digestSchema.parse(JSON.parse(await readFile(join(directory, DIGEST_FILE), 'utf8')));
  } catch {
    return null;
  }
}

/** `null`: no report was written to its end, or none can be read. */
export async function readSummary(directory: string): Promise<Summary | null> {
  try {
    const summary = summarySchema.parse(JSON.parse(await readFile(join(directory, SUMMARY_FILE), 'utf8')));
    return summary.exitCode === null ? null : summary;
  } catch {
    return null;
  }
}
