/**
 * Where a run's rows come from: its file, or the ledger for a rerun. The chunks are the same every
 * time; a file that changed since its run was registered gives none.
 */
import type { Job, JobDefinition } from '../config/job-definition.ts';
import { mappingFor, misfits, readFormatOf } from '../delivery/run-mapping.ts';
import { createRunInput } from '../engine/ledger/reruns.ts';
import type { Canary, Looked, NewRun } from '../engine/ledger/run-record.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import type { KeyOf } from '../model/row-group.ts';
import type { Run } from '../model/run.ts';
import type { FileFacts, SourceInfo } from '../model/source.ts';
import { createApartRows } from '../readers/intake/apart-rows.ts';
import { createChunkEnds, type RowChunk, readChunks } from '../readers/intake/chunks.ts';
import type { ReadFormat } from '../readers/intake/row-feed.ts';
import { surveyFile } from '../readers/intake/survey.ts';
import { createRepeatLook } from '../readers/mapping/rules.ts';
import type { Ledger } from '../session.ts';
import { definitionOf } from './status.ts';

/** From the first row; `null`: the file is not what the run was registered with. */
export type RowSource = (run: Run, definition: JobDefinition) => Promise<AsyncIterable<RowChunk> | null>;

/** Looks at the rows of a run that is about to be registered, where it needs approval. */
export type CheckRows = (run: NewRun, chunks: AsyncIterable<RowChunk>) => Promise<Looked | undefined>;

/**
 * Rows of one BullMQ job. One job per row took three times the memory in Redis for 100,000 rows,
 * and ten times the time.
 */
export const CHUNK_ROWS = 100;

/** The rows of a file that was surveyed in this process. */
export function fileRows(facts: FileFacts): RowSource {
  return async (run, definition) => {
    if (!(await isStill(facts))) return null;
    return untouched(readChunks(facts.path, run.source, readFormatOf(definition), run), facts);
  };
}

/** False also where the file is gone. */
async function isStill({ path, stamp }: FileFacts): Promise<boolean> {
  return (await fileStamp(path).catch(() => '')) === stamp;
}

/** Chunks between two looks: as many as are queued together. */
const BETWEEN_LOOKS = 8;

/**
 * Checks the file's stamp after chunks were read and before they are handed on: a write that could
 * be in one of them has changed the stamp by then, and the chunks end before it. The first chunk
 * goes by itself, so that the run begins at once.
 */
async function* untouched(
  chunks: AsyncIterable<RowChunk>,
  facts: FileFacts,
): AsyncGenerator<RowChunk, void, undefined> {
  let read: RowChunk[] = [];
  let most = 1;
  for await (const chunk of chunks) {
    read.push(chunk);
    if (read.length < most) continue;
    if (!(await isStill(facts))) return;
    yield* read;
    [read, most] = [[], BETWEEN_LOOKS];
  }
  if (await isStill(facts)) yield* read;
}

/** Of its file, once that proves unchanged, or in the ledger for a rerun. */
export async function registeredRows(run: Run, ledger: Ledger): Promise<RowSource> {
  if (run.parent !== null) {
    const input = createRunInput(ledger.redis, ledger.of(run.target).keys, run.id);
    if (!(await input.isWhole(run))) throw new UsageError(rowsLost(run.id, run.parent));
    return async () => input.read(run);
  }
  return fileRows(await surveyAgain(run, readFormatOf(await definitionOf(run, ledger))));
}

function rowsLost(id: string, parent: string): string {
  return (
    `The rows of run ${id} are lost from Redis: it can't go on. ` +
    `\`onboard cancel ${id}\` gives each its outcome, then \`onboard rerun ${parent}\` takes up again what was not sent.`
  );
}

async function surveyAgain(run: Run, format: ReadFormat): Promise<FileFacts> {
  const facts = await surveyFile(run.file, format);
  if (facts.sha256 === run.sha256) return facts;
  throw new UsageError(
    `${run.file}: is not the file that run ${run.id} began with: expected sha256 ${run.sha256}, got ${facts.sha256}. ` +
      `Put the first one back, or cancel this run (\`onboard cancel ${run.id}\`) and load the new file.`,
  );
}

export function canaryOf({ send }: JobDefinition): Canary | null {
  return (send.canary ?? 0) === 0 ? null : { rows: send.canary ?? 0, kind: 'set' };
}

/**
 * The survey of a job's file. For a job with groups it has the ends of the chunks, too, the first
 * one a small one, as the run may have to send it ahead.
 */
export async function surveyFor({ definition }: Pick<Job, 'definition'>, path: string): Promise<FileFacts> {
  const format = readFormatOf(definition);
  if (definition.group === undefined) return withRepeats(await surveyFile(path, format), definition);
  const groups = createGroupLook(definition);
  return withRepeats({ ...(await surveyFile(path, format, groups)), ...groups.found() }, definition);
}

/** Reads the file once more where a rule asks for values that no two rows share. */
async function withRepeats(facts: FileFacts, definition: JobDefinition): Promise<FileFacts> {
  const { path, source } = facts;
  const look = createRepeatLook(definition.rules);
  if (!look.isNeeded || misfits(definition, source).length > 0) return facts;
  const { map, groupOf } = mappingFor(definition, source);
  for await (const { rows } of readChunks(path, source, readFormatOf(definition))) {
    for (const row of rows) {
      const mapped = map(row);
      if (mapped.kind === 'mapped') look.see(row.row, groupOf(row), mapped.body);
    }
  }
  return { ...facts, source: { ...source, repeats: look.found() } };
}

function createGroupLook(definition: JobDefinition) {
  let keys: Keys = NO_KEYS;
  const groupOf: KeyOf = (row) => keys.groupOf(row);
  const firstRows = canaryOf(definition)?.rows ?? FIRST_ROWS;
  const chunks = createChunkEnds({ chunkRows: CHUNK_ROWS, firstRows, keyOf: groupOf });
  const apart = createApartRows({ keyOf: (row) => keys.keyOf(row), groupOf });
  return {
    begin(source: SourceInfo) {
      // Whoever asked for the survey says what doesn't fit.
      if (misfits(definition, source).length === 0) keys = mappingFor(definition, source);
    },
    see(row: Row) {
      chunks.see(row);
      apart.see(row);
    },
    found: () => ({ chunkEnds: chunks.ends(), apart: apart.found() }),
  };
}

type Keys = Pick<Mapping, 'keyOf' | 'groupOf'>;

export const NO_KEYS: Keys = { keyOf: () => null, groupOf: () => null };

/** Sent ahead where the job never succeeded at the target and its definition says nothing of it. */
export const FIRST_ROWS = 5;
