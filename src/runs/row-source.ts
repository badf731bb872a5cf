import type { Format } from '../config/job-definition.ts';
import { type RowChunk, readChunks } from '../intake/chunks.ts';
import { surveyFile } from '../intake/survey.ts';
import { createRunInput } from '../ledger/run-input.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import type { FileFacts } from '../model/source.ts';
import type { Ledger } from '../session.ts';

/** Reads a run's rows, the same chunks every time; `null`: what is there now is not what the run was registered with. */
export type RowSource = (run: Run, format: Format) => Promise<AsyncIterable<RowChunk> | null>;

/** The rows of a file that was surveyed in this process. */
export function fileRows(facts: FileFacts): RowSource {
  return async (run, format) => {
    if ((await fileStamp(facts.path)) !== facts.stamp) return null;
    return untouched(readChunks(facts.path, run.source, format, run), facts);
  };
}

/** Somebody wrote to a run's file while it was read: nothing that was read since may be sent. */
export class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

/** Every chunk was read before the look at the file that lets it go: what was written since is not in it, or the look shows it. */
async function* untouched(
  chunks: AsyncIterable<RowChunk>,
  { path, stamp }: FileFacts,
): AsyncGenerator<RowChunk, void, undefined> {
  const look = async () => {
    if ((await fileStamp(path)) !== stamp)
      throw new FileChangedError(`${path}: was changed while it was read`);
  };
  for await (const chunk of chunks) {
    await look();
    yield chunk;
  }
  await look();
}

/** The rows that a registered run is made of: of its file, once that proves to be the same, or in the ledger for a rerun. */
export async function registeredRows(run: Run, ledger: Ledger): Promise<RowSource> {
  const { keys, store } = ledger.of(run.target);
  if (run.parent !== null) {
    const input = createRunInput(ledger.redis, keys, run.id);
    if (!(await input.isWhole(run))) throw new UsageError(rowsLost(run.id, run.parent));
    return async () => input.read(run);
  }
  const definition = await store.definition(run.id);
  if (definition === null) throw new Error(`run ${run.id} is gone from the ledger`);
  return fileRows(await surveyAgain(run, definition.format));
}

/** The same for a run that is to be wound up: looked at only when it is needed, and only once. */
export function registeredRowsLater(run: Run, ledger: Ledger): RowSource {
  let source: Promise<RowSource> | null = null;
  return async (again, format) => {
    source ??= registeredRows(run, ledger);
    return (await source)(again, format);
  };
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
