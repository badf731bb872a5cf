import type { JobDefinition } from '../config/job-definition.ts';
import { chunkEndsOf, evenEnds, readChunks } from '../intake/chunks.ts';
import { fileStamp } from '../lib/file-stamp.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { FileFacts } from '../model/source.ts';
import { mappingFor } from '../session.ts';
import { CHUNK_ROWS } from './chunk-rows.ts';

const CUTS = { chunkRows: 500, chunkEnds: null };

/**
 * The facts with the ends of the file's chunks, where its job groups rows: that takes a second reading, since only the
 * compiled mapping knows the keys. Also where its first rows go ahead of the others (`send.canary`): they are a chunk of
 * their own. UsageError where the file is not as it was surveyed.
 */
export async function withChunkEnds(facts: FileFacts, definition: JobDefinition): Promise<FileFacts> {
  const cutting = { chunkRows: CHUNK_ROWS, firstRows: definition.send.canary };
  const { path, source, rows, stamp } = facts;
  if (definition.group === undefined) {
    return cutting.firstRows === undefined ? facts : { ...facts, chunkEnds: evenEnds(rows, cutting) };
  }
  const { keyOf } = mappingFor(definition, source);
  const batches = readChunks(path, source, definition.format, CUTS);
  const chunkEnds = await chunkEndsOf(batches, { ...cutting, keyOf });
  if ((chunkEnds.at(-1) ?? 0) === rows && (await fileStamp(path)) === stamp) return { ...facts, chunkEnds };
  throw new UsageError(
    `${path}: was changed while it was read: expected a file that is whole; wait until it is`,
  );
}
