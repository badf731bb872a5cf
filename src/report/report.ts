/**
 * Writes a run's report from the ledger, in one pass over the settlements and in memory that doesn't
 * grow with the run: at once, or chunk by chunk as they are closed, so that little is left to write when the run ends.
 * What was written of a chunk that has changed since is never published. Only one writer per folder at a time. When
 * anything fails, the report written before stays as it was.
 */
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { JobDefinition } from '../config/job-definition.ts';
import { batchesOf } from '../lib/batches.ts';
import { shortDigest } from '../lib/digest.ts';
import { passStage } from '../lib/stage.ts';
import { printableLines } from '../lib/terminal.ts';
import { programVersion } from '../lib/version.ts';
import type { History } from '../model/history.ts';
import type { FieldCatalog } from '../model/mapping.ts';
import type { Notes } from '../model/note.ts';
import { REMAINDER } from '../model/outcome.ts';
import type { Run } from '../model/run.ts';
import type { ClosedChunk, GrowingView, LedgerView, Settlement } from '../model/settlement.ts';
import { isTable } from '../model/source.ts';
import { createDigestTally, type DigestTally } from './digest.ts';
import {
  claimReportDirectory,
  createPendingReport,
  DIGEST_FILE,
  DOCUMENTS_FILE,
  openPendingFile,
  PAGE_FILE,
  type PendingReport,
  REJECTIONS_FILE,
  RESULTS_FILE,
  removeGrown,
  removeLeftOvers,
  SHARED_PAGE_FILE,
  SUMMARY_FILE,
} from './files.ts';
import { renderReport } from './html/page.tsx';
import {
  csvRemainder,
  ndjsonRemainder,
  REMAINDERS,
  type RemainderFormat,
  type RemainderRow,
  unsuccessfulIn,
} from './remainder.ts';
import {
  type Advising,
  documentLines,
  rejectionLine,
  resultsDialect,
  resultsHeader,
  resultsLines,
} from './results.ts';
import { type Summary, summarize, summarySchema, withWritten } from './summary.ts';
import { createTally, type Tally } from './tally.ts';

type ReportOptions = {
  readonly run: Run;
  readonly view: LedgerView;
  readonly directory: string;
  readonly now: () => Date;
  /** The fields of the operation's request, by which the service may name what is wrong. */
  readonly fields?: Pick<FieldCatalog, 'has'>;
  /** What the run's rows were made requests with; `null` where the ledger no longer has it. */
  readonly definition?: JobDefinition | null;
  /** What pictures of its way are drawn from, asked for when the page is written. */
  readonly history?: () => Promise<History>;
  /** What people noted on causes, by their ids, asked for with it. */
  readonly notes?: (causes: readonly string[]) => Promise<Notes>;
  /** How this program is called, for the commands on the page. */
  readonly command?: string | undefined;
  /** With a page to be mailed, besides. */
  readonly share?: boolean;
  /** Files of an earlier writing whose changes are in the ledger, so that they may be replaced. */
  readonly followed?: readonly string[];
};

/** Writes the whole report of the run as the ledger has it. Nobody may call `writeSummary` on the folder at the same time. */
export async function writeReport(options: ReportOptions): Promise<Summary> {
  const writing = await openWriting(options, 'atOnce');
  try {
    await writeFrom(1, writing);
    return await publish(options.run, writing);
  } finally {
    await writing.files.discard();
  }
}

/** A report that is written while its run goes on. Nothing of it has its name before it is published. */
export type GrowingReport = {
  /** Writes what has been closed since, in the file's order: up to the first chunk that is open. */
  grow(): Promise<void>;
  /** Writes all other rows, as they stand. False: a row has changed since it was written, and nothing of this may be published. */
  complete(): Promise<boolean>;
  /** Publishes what is complete as the report of the run as it is now. Nobody may call `writeSummary` on the folder at the same time. */
  publish(run: Run): Promise<Summary>;
  /** Removes whatever was not published; safe to call at any time. */
  discard(): Promise<void>;
};

/** Begins the report of a run that goes on. Only one process at a time may: it takes the place of any before. */
export async function growReport(
  options: Omit<ReportOptions, 'followed'> & { readonly view: GrowingView },
): Promise<GrowingReport> {
  const { view } = options;
  const writing = await openWriting(options, 'grown');
  await removeGrown(options.directory);
  /** Of the chunks whose rows may change yet, a digest of what was written. */
  const written = new Map<number, string>();
  let next = 1;
  /** Writes some chunks; false: the next one is open. */
  const growOn = async () => {
    for (const chunk of await view.closedChunks(numbersFrom(next, CHUNKS_AT_ONCE))) {
      if (chunk === null) return false;
      await writeRows(next, chunk.settlements, writing);
      if (!chunk.isFinal) written.set(next, digestOf(chunk));
      next += 1;
    }
    return true;
  };
  const isAsWritten = async () => {
    for (const numbers of batchesOf([...written.keys()], CHUNKS_AT_ONCE)) {
      const now = (await view.closedChunks(numbers)).map((chunk) => (chunk === null ? '' : digestOf(chunk)));
      if (numbers.some((n, i) => now[i] !== written.get(n))) return false;
    }
    return true;
  };
  return {
    async grow() {
      await writeHeads(writing);
      while (await growOn());
    },
    async complete() {
      await writeFrom(next, writing);
      return isAsWritten();
    },
    publish: (run) => publish(run, writing),
    discard: () => writing.files.discard(),
  };
}

/** Little enough that the rows which are sent meanwhile don't wait for it. */
const CHUNKS_AT_ONCE = 8;

function numbersFrom(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i);
}

function digestOf({ settlements }: ClosedChunk): string {
  return shortDigest(JSON.stringify(settlements), DIGEST_CHARACTERS);
}

/** 132 bits. */
const DIGEST_CHARACTERS = 22;

/** What one writing of a report works with. */
type Writing = Required<Omit<ReportOptions, 'command'>> & {
  readonly command: string;
  readonly files: PendingReport;
  readonly format: RemainderFormat;
  readonly advising: Advising;
  readonly tally: Tally;
  readonly digest: DigestTally;
};

async function openWriting(options: ReportOptions, how: 'atOnce' | 'grown'): Promise<Writing> {
  const { run, directory, now, followed = [], fields = new Set<string>() } = options;
  const { definition = null, share = false, command = 'onboard' } = options;
  const { history = noHistory, notes = noNotes } = options;
  await claimReportDirectory(directory, run.id);
  await removeLeftOvers(directory, now());
  const format = isTable(run.source) ? csvRemainder(run) : ndjsonRemainder(run);
  const advising = { operation: run.operation, extension: format.extension };
  const files = createPendingReport(directory, how);
  const digest = createDigestTally({ run, fields, advising, definition });
  const tally = createTally(advising);
  return {
    ...options,
    followed,
    fields,
    definition,
    share,
    command,
    history,
    notes,
    files,
    format,
    advising,
    tally,
    digest,
  };
}

/** Writes the rows of this chunk and of all that follow, open or closed. */
async function writeFrom(chunk: number, writing: Writing): Promise<void> {
  await writeHeads(writing);
  let n = chunk;
  for await (const settlements of writing.view.settlements(chunk)) {
    await writeRows(n, settlements, writing);
    n += 1;
  }
}

/** What is there also without a row. */
async function writeHeads({ run, files }: Writing): Promise<void> {
  if (files.names().length > 0) return;
  await files.append(RESULTS_FILE, resultsHeader(resultsDialect(run.source)));
  await files.append(REJECTIONS_FILE, '');
  if (run.operation === 'payment.documents') await files.append(DOCUMENTS_FILE, '');
}

async function writeRows(chunk: number, settlements: readonly Settlement[], writing: Writing): Promise<void> {
  const { run, files, tally, digest, advising } = writing;
  settlements.forEach(tally.add);
  for (const settlement of settlements) digest.add(settlement, chunk);
  await files.append(RESULTS_FILE, resultsLines(settlements, advising, resultsDialect(run.source)));
  await writeRemainders(chunk, settlements, writing);
  if (run.operation === 'payment.documents') await writeDocuments(writing, settlements);
}

/** The files get their names, with the summary of the run as it is now. */
async function publish(run: Run, writing: Writing): Promise<Summary> {
  const { directory, now, followed, share, files, tally, digest } = writing;
  const before = await claimReportDirectory(directory, run.id);
  const placed = await files.place({ written: before, followed });
  // A first summary comes before all other files: it says whose directory this is, and knows the files as they were and as they
  // will be. It has no exit status: one with an exit status comes last, so that a report whose writer was killed is written again.
  const first = { ...summarize(run, [], now()), exitCode: null, written: [...before, ...placed.written] };
  await files.claim(SUMMARY_FILE, textOf(first));
  const pages = [PAGE_FILE, ...(share ? [SHARED_PAGE_FILE] : [])];
  const counted = {
    ...placed,
    files: [...placed.files, DIGEST_FILE, ...pages],
    outcomes: tally.outcomes(),
    records: tally.records(),
    topWarnings: tally.topWarnings(),
    causes: digest.topCauses(),
    shapes: tally.shapes(),
  };
  const summary = withWritten(summarize(run, tally.topErrors(), now()), counted);
  await writePages(summary, writing);
  await files.append(SUMMARY_FILE, textOf(summary));
  passStage('reporting');
  await files.publish();
  passStage('reported');
  return summary;
}

const noHistory = async (): Promise<History> => ({ pulse: [], story: [] });
const noNotes = async (): Promise<Notes> => new Map();

/** What people look at, and the numbers that it is drawn from. */
async function writePages(summary: Summary, writing: Writing): Promise<void> {
  const { run, directory, definition, share, command, files } = writing;
  const digest = writing.digest.digest();
  // The report is written whether or not these can be told.
  const history = await writing.history().catch(noHistory);
  const notes = await writing.notes(digest.causes.map(({ id }) => id)).catch(noNotes);
  const version = programVersion();
  const { columns } = run.source;
  const page = { summary, digest, history, notes, definition, columns, version };
  await files.append(DIGEST_FILE, printableLines(`${JSON.stringify(digest)}\n`));
  await files.append(PAGE_FILE, renderReport({ ...page, directory, command, isShared: false }));
  if (!share) return;
  const mailed = { ...summary, file: basename(summary.file), request: null };
  await files.append(
    SHARED_PAGE_FILE,
    renderReport({ ...page, summary: mailed, directory: '', command: 'onboard', isShared: true }),
  );
}

/** Writes `summary.json` alone, by rename, while the run goes on; without the commonest errors, for which every row has to be read. */
export async function writeSummary({
  run,
  directory,
  now,
}: Pick<ReportOptions, 'run' | 'directory' | 'now'>): Promise<Summary> {
  const written = await claimReportDirectory(directory, run.id);
  const summary = { ...summarize(run, [], now()), written: [...written] };
  const file = await openPendingFile(directory, SUMMARY_FILE);
  try {
    await file.append(textOf(summary));
    await file.seal();
    await file.publish(SUMMARY_FILE);
    return summary;
  } finally {
    await file.discard();
  }
}

function textOf(summary: Summary): string {
  return printableLines(`${JSON.stringify(summary, null, 2)}\n`);
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

async function writeRemainders(
  chunk: number,
  settlements: readonly Settlement[],
  writing: Writing,
): Promise<void> {
  for await (const rows of unsuccessfulIn(settlements, writing.view)) {
    for (const row of rows) writing.digest.addUnsuccessful(row, chunk);
    await writeSources(writing, rows);
    await writeRejections(writing, rows);
  }
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

/** Rows whose documents are in memory at a time: these texts can have megabytes each. */
const LOOKUP_ROWS = 20;
