import type { Format } from '../config/job-definition.ts';
import { readChunks } from '../intake/chunks.ts';
import { inspectFile } from '../intake/inspect.ts';
import type { RowBatch } from '../intake/row-feed.ts';
import { openRows } from '../intake/rows.ts';
import { surveyFile } from '../intake/survey.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import { type FileFacts, isTable, type SourceInfo } from '../model/source.ts';

/** A file that is about to be read for its rows. */
export type CheckReading = {
  readonly path: string;
  readonly sha256: string;
  /** Its columns are known. */
  readonly source: SourceInfo;
  /** UsageError where it turns out that the file can't be read as a whole. */
  readonly batches: AsyncIterable<Pick<RowBatch, 'rows'>>;
};

const CUTS = { chunkRows: 500, chunkEnds: null };

/** The rows of a file that was surveyed. */
export function readSurveyed({ path, sha256, source }: FileFacts, format: Format): CheckReading {
  return { path, sha256, source, batches: readChunks(path, source, format, CUTS) };
}

/** Opens a file to be looked through once: of a table the header is enough to begin with, while JSON is surveyed first. */
export async function openReading(path: string, format: Format): Promise<CheckReading> {
  const stamp = await fileStamp(path).catch(() => '');
  const inspected = await inspectFile(path, format);
  const batches = openRows(path, inspected, format);
  const first = await batches.next();
  if (first.done !== true && isTable(first.value.source)) {
    const { source } = first.value;
    const all = after(first.value, batches);
    return { path, sha256: inspected.sha256, source, batches: unchanged(all, path, stamp) };
  }
  await batches.return(undefined);
  return readSurveyed(await surveyFile(path, format), format);
}

async function* after(first: RowBatch, rest: AsyncIterable<RowBatch>) {
  yield first;
  yield* rest;
}

async function* unchanged(batches: AsyncIterable<RowBatch>, path: string, stamp: string) {
  yield* batches;
  if ((await fileStamp(path).catch(() => '')) === stamp) return;
  throw new UsageError(
    `${path}: was changed while it was read: expected a file that is whole; wait until it is`,
  );
}
