import { appendFileSync, closeSync, createReadStream, fstatSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { UsageError } from '../lib/usage-error.ts';

/** One line of the data file: an entity that was made, or a subclient's body after an update. */
export const dataLineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('subclient'),
    id: z.string(),
    key: z.string().nullable(),
    body: z.record(z.string(), z.unknown()),
  }),
  // Nothing of a draft is ever looked up again, and a draft holds a person's bank details: only its key is kept.
  z.object({ kind: z.literal('draft'), id: z.string(), key: z.string().nullable() }),
  z.object({ kind: z.literal('update'), id: z.string(), body: z.record(z.string(), z.unknown()) }),
]);
export type DataLine = z.infer<typeof dataLineSchema>;

/** What the sandbox has made, as an NDJSON file that a later sandbox reads again. */
export type DataFile = {
  /** Appends before it returns (no fsync): what was answered survives the death of this process. */
  append(line: DataLine): void;
  close(): void;
};

/** A sandbox without a data file forgets at its end. */
export const NO_DATA_FILE: DataFile = { append: () => {}, close: () => {} };

/**
 * Opens the file, made where missing, and gives `restore` each line of it in order.
 * A line torn by the death of its writer is dropped. Throws a UsageError where the file can't be opened.
 */
export async function openDataFile(
  path: string,
  restore: (line: DataLine) => void,
): Promise<{ readonly file: DataFile; readonly droppedLines: number }> {
  const fd = openForAppend(path);
  const droppedLines = await readLines(path, restore);
  // Ends a torn last line, so that the next one starts on its own; an empty line is nothing.
  if (fstatSync(fd).size > 0) appendFileSync(fd, '\n');
  const file: DataFile = {
    append: (line) => appendFileSync(fd, `${JSON.stringify(line)}\n`),
    close: () => closeSync(fd),
  };
  return { file, droppedLines };
}

async function readLines(path: string, restore: (line: DataLine) => void): Promise<number> {
  let dropped = 0;
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    if (text === '') continue;
    const line = parseLine(text);
    if (line === null) dropped += 1;
    else restore(line);
  }
  return dropped;
}

function parseLine(text: string): DataLine | null {
  try {
    return dataLineSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function openForAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new UsageError(
      `The sandbox's data file ${path} can't be opened; expected a file in a folder that exists and may be written.`,
      {
        cause: error,
      },
    );
  }
}
