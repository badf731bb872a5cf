/**
 * The check of files: what a run of a job would do with them and find wrong, without a call and
 * without a change in the ledger. The front door of `check/`: `onboard check` opens files and
 * checks them one after the other, `onboard run --check-first` lets a run begin only where nothing
 * is wrong.
 */
import { type Format, type Job, jobsBefore } from '../config/job-definition.ts';
import { type ApartKeys, createApartKeys } from '../intake/apart-keys.ts';
import { readChunks } from '../intake/chunks.ts';
import { inspectFile } from '../intake/inspect.ts';
import type { RowBatch } from '../intake/row-feed.ts';
import { openRows } from '../intake/rows.ts';
import { createNamelessColumns, surveyFile } from '../intake/survey.ts';
import { changedWhileRead, fileStamp } from '../lib/file-stamp.ts';
import { countOf, type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { markTotals } from '../mapping/totals.ts';
import { createKeyLikeness } from '../model/key-likeness.ts';
import type { Mapping } from '../model/mapping.ts';
import { createGroupCutter } from '../model/row-group.ts';
import { type FileFacts, isTable, type SourceInfo } from '../model/source.ts';
import { type Input, mappingOf } from '../runs/input.ts';
import { waitForJobs } from '../runs/register.ts';
import type { Ledger } from '../session.ts';
import { type Checked, createFindings, estimateOf } from './findings.ts';
import { createSeenKeys, foresee, type SeenKeys } from './forecast.ts';
import { createLook, type Look } from './ledger.ts';
import { checkLines, waitingWords } from './words.ts';

/** Looks through the files of a job one after the other, in the order in which a run takes them. */
export function createChecker(job: Job, look: Look): (reading: CheckReading) => Promise<Checked> {
  const before: SeenKeys[] = [];
  return async (reading) => {
    const seen = createSeenKeys();
    const checked = await checkFile(reading, { job, look, seen, before });
    before.push(seen);
    return checked;
  };
}

/**
 * Throws a UsageError, with what was found on stderr, where a row of any of the files would be
 * invalid or refers to a record that there is not. Runs that come before are waited for, since they
 * may create it; false: interrupted meanwhile.
 */
export async function passesCheck(
  { job, files }: Input,
  target: string,
  { ledger, io }: { readonly ledger: Pick<Ledger, 'redis' | 'of'>; readonly io: Io },
): Promise<boolean> {
  if (!(await waitForJobs(jobsBefore(job.definition), target, { ledger, io }))) return false;
  const check = createChecker(job, createLook(ledger, target));
  const failing: Checked[] = [];
  for (const facts of files) {
    const checked = await check(readSurveyed(facts, job.definition.format));
    if (checked.invalid + checked.waiting === 0) continue;
    for (const line of checkLines(checked, job.definition)) tell(io, line);
    failing.push(checked);
  }
  if (failing.length > 0) throw new UsageError(failing.map(refusal));
  return true;
}

function refusal({ file, rows, invalid, waiting }: Checked): string {
  const parts = [
    ...(invalid === 0 ? [] : [`${invalid} would be invalid`]),
    ...(waiting === 0 ? [] : [waitingWords(waiting)]),
  ];
  const steps = [
    ...(invalid === 0 ? [] : ['correct the invalid rows']),
    ...(waiting === 0 ? [] : ['load first what rows refer to']),
  ].join(', ');
  const first = steps.charAt(0).toUpperCase() + steps.slice(1);
  return (
    `${file}: of ${countOf(rows, 'row')} ${parts.join(', ')}, and --check-first was asked for: nothing was begun. ` +
    `${first}, or run without it: the other rows are sent then.`
  );
}

/** Few enough that what they map to is gone before it is old. */
const ROWS_AT_ONCE = 100;

type Around = {
  readonly job: Job;
  readonly look: Look;
  readonly seen: SeenKeys;
  readonly before: readonly SeenKeys[];
};

/** Throws a UsageError where the columns don't fit the job. */
async function checkFile(reading: CheckReading, { job, look, seen, before }: Around): Promise<Checked> {
  const { definition, name } = job;
  const { sha256 } = reading;
  const mapping = mappingOf(job, reading);
  const earlier = look.kind === 'ledger' ? await look.earlierRun({ sha256, job: name }) : null;
  const findings = createFindings();
  const foreseeing = {
    definition,
    mapping,
    sha256,
    look,
    earlier: earlier?.id ?? null,
    seen,
    apart: definition.group === undefined ? null : await findApart(reading, definition.format, mapping),
    findAlike: createKeyLikeness(definition.checks),
    before,
    isShown: findings.isShown,
  };
  const cutter = createGroupCutter(definition.group === undefined ? null : mapping.keyOf);
  const add = async (groups: readonly ReturnType<typeof cutter.end>[]) => {
    const ended = groups.filter((group) => group !== null);
    for (const forecast of await foresee(ended, foreseeing)) findings.add(forecast);
  };
  const nameless = createNamelessColumns();
  let rows = 0;
  let { source } = reading;
  const { again } = reading;
  const keyOf = mapping.hasKey ? mapping.keyOf : null;
  const totals = { severity: definition.checks.totals_row, source, keyOf, again };
  for await (const batch of markTotals(reading.batches, totals)) {
    nameless.see({ source, rows: batch.rows });
    rows += batch.rows.length;
    // The last batch has the notes on the whole file.
    source = batch.source ?? source;
    for (let at = 0; at < batch.rows.length; at += ROWS_AT_ONCE)
      await add(batch.rows.slice(at, at + ROWS_AT_ONCE).map((row) => cutter.take(row)));
  }
  await add([cutter.end()]);
  const last = look.kind === 'ledger' ? await look.lastSpeed(name) : null;
  const estimate = estimateOf(findings.toSend(), definition, last);
  source = { ...source, notes: nameless.notes(source.notes) };
  return findings.result({ job: name, reading: { ...reading, source }, rows, look, earlier, estimate });
}

/** The keys whose rows stand apart: that shows only when all rows have been seen. */
async function findApart(
  { path, source }: CheckReading,
  format: Format,
  { keyOf }: Mapping,
): Promise<ApartKeys> {
  const apart = createApartKeys(keyOf);
  for await (const { rows } of readChunks(path, source, format)) for (const row of rows) apart.see(row);
  return apart;
}

/** A file that is about to be read for its rows. */
type CheckReading = {
  readonly path: string;
  readonly sha256: string;
  /** How the file was understood, with its columns. */
  readonly source: SourceInfo;
  /** UsageError where it turns out that the file can't be read as a whole. */
  readonly batches: AsyncIterable<Pick<RowBatch, 'rows'> & Partial<RowBatch>>;
  /** The same rows once more. */
  again(): AsyncIterable<Pick<RowBatch, 'rows'>>;
};

/** Of a table the header is enough to begin with, while JSON is surveyed first. */
export async function openReading(path: string, format: Format): Promise<CheckReading> {
  const stamp = await fileStamp(path).catch(() => '');
  const inspected = await inspectFile(path, format);
  const batches = openRows(path, inspected, format);
  const first = await batches.next();
  if (first.done !== true && isTable(first.value.source)) {
    const { source } = first.value;
    const all = after(first.value, batches);
    const again = () => openRows(path, inspected, format);
    return { path, sha256: inspected.sha256, source, batches: unchanged(all, path, stamp), again };
  }
  await batches.return(undefined);
  return readSurveyed(await surveyFile(path, format), format);
}

/** The rows of a file that was surveyed. */
function readSurveyed({ path, sha256, source }: FileFacts, format: Format): CheckReading {
  const again = () => readChunks(path, source, format);
  return { path, sha256, source, batches: again(), again };
}

async function* after(first: RowBatch, rest: AsyncIterable<RowBatch>) {
  yield first;
  yield* rest;
}

async function* unchanged(batches: AsyncIterable<RowBatch>, path: string, stamp: string) {
  yield* batches;
  if ((await fileStamp(path).catch(() => '')) === stamp) return;
  throw changedWhileRead(path);
}
