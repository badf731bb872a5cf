/**
 * Where a run's rows come from: its file, or the ledger for a rerun. The chunks are the same every
 * time; a file that changed since its run was registered gives none.
 */
import type { Format, JobDefinition } from '../config/job-definition.ts';
import { mappingFor } from '../delivery/run-mapping.ts';
import { chunkEndsOf, type RowChunk, readChunks } from '../intake/chunks.ts';
import { surveyFile } from '../intake/survey.ts';
import { createRunInput } from '../ledger/reruns.ts';
import type { Canary } from '../ledger/run-store.ts';
import { changedWhileRead, fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import type { Ledger } from '../session.ts';
import { definitionOf } from './status.ts';

/** From the first row; `null`: the file is not what the run was registered with. */
export type RowSource = (run: Run, definition: JobDefinition) => Promise<AsyncIterable<RowChunk> | null>;

/**
 * Rows of one BullMQ job. One job per row took three times the memory in Redis for 100,000 rows,
 * and ten times the time.
 */
export const CHUNK_ROWS = 100;

/** The rows of a file that was surveyed in this process. */
export function fileRows(facts: FileFacts): RowSource {
  return async (run, definition) => {
    if ((await fileStamp(facts.path)) !== facts.stamp) return null;
    return untouched(readChunks(facts.path, run.source, definition.format, run), facts);
  };
}

/** The run's file changed while it was read: nothing read since may be sent. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

/** Chunks between two looks: as many as are queued together. */
const BETWEEN_LOOKS = 8;

/**
 * Checks the file's stamp after chunks were read and before they are handed on: a write that could
 * be in one of them has changed the stamp by then. The first chunk goes by itself, so that the run
 * begins at once.
 */
async function* untouched(
  chunks: AsyncIterable<RowChunk>,
  { path, stamp }: FileFacts,
): AsyncGenerator<RowChunk, void, undefined> {
  const look = async () => {
    if ((await fileStamp(path)) !== stamp)
      throw new FileChangedError(`${path}: was changed while it was read`);
  };
  let read: RowChunk[] = [];
  let most = 1;
  for await (const chunk of chunks) {
    read.push(chunk);
    if (read.length < most) continue;
    await look();
    yield* read;
    [read, most] = [[], BETWEEN_LOOKS];
  }
  await look();
  yield* read;
}

/** Of its file, once that proves unchanged, or in the ledger for a rerun. */
export async function registeredRows(run: Run, ledger: Ledger): Promise<RowSource> {
  if (run.parent !== null) {
    const input = createRunInput(ledger.redis, ledger.of(run.target).keys, run.id);
    if (!(await input.isWhole(run))) throw new UsageError(rowsLost(run.id, run.parent));
    return async () => input.read(run);
  }
  return fileRows(await surveyAgain(run, (await definitionOf(run, ledger)).format));
}

function rowsLost(id: string, parent: string): string {
  return (
    `The rows of run ${id} are lost from Redis: it can't go on. ` +
    `\`onboard cancel ${id}\` gives each its outcome, then \`onboard rerun ${parent}\` takes up again what was not sent.`
  );
}

async function surveyAgain(run: Run, format: Format): Promise<FileFacts> {
  const facts = await surveyFile(run.file, format);
  if (facts.sha256 === run.sha256) return facts;
  throw new UsageError(
    `${run.file}: is not the file that run ${run.id} began with: expected sha256 ${run.sha256}, got ${facts.sha256}. ` +
      'Put the first one back.',
  );
}

export function canaryOf({ send }: JobDefinition): Canary | null {
  return (send.canary ?? 0) === 0 ? null : { rows: send.canary ?? 0, kind: 'set' };
}

/**
 * Adds the ends of chunks for jobs with groups, which takes a reading of its own: only the compiled
 * mapping knows the keys. `firstRows`: the least size of a first chunk that goes alone. A
 * UsageError where the file changed since its survey.
 */
export async function withChunkEnds(
  facts: FileFacts,
  definition: JobDefinition,
  firstRows: number | undefined,
): Promise<FileFacts> {
  if (definition.group === undefined) return facts;
  const cutting = { chunkRows: CHUNK_ROWS, firstRows };
  const { path, source, rows, stamp } = facts;
  const { groupOf } = mappingFor(definition, source);
  const batches = readChunks(path, source, definition.format);
  const chunkEnds = await chunkEndsOf(batches, { ...cutting, keyOf: groupOf });
  if ((chunkEnds.at(-1) ?? 0) === rows && (await fileStamp(path)) === stamp) return { ...facts, chunkEnds };
  throw changedWhileRead(path);
}
