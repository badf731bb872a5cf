import { type Format, formatSchema } from '../../src/config/job-definition.ts';
import { inspectBytes } from '../../src/intake/inspect.ts';
import { readRows } from '../../src/intake/rows.ts';
import type { Row } from '../../src/model/row.ts';
import type { SourceInfo } from '../../src/model/source.ts';

export type Reading = { readonly source: SourceInfo | null; readonly rows: readonly Row[] };

/** Reads content as if it were a file of that name, cut into blocks of the given sizes over and over. */
export async function readText(
  content: string | Buffer,
  options: { path?: string; format?: Partial<Format>; blocks?: readonly number[] } = {},
): Promise<Reading> {
  const { path = 'file.csv', format = {}, blocks = [1 << 20] } = options;
  const rows: Row[] = [];
  let source: SourceInfo | null = null;
  const open = () => inBlocks(Buffer.from(content), blocks);
  const parsed = formatSchema.parse(format);
  const reading = await inspectBytes(open, path, parsed);
  for await (const batch of readRows(open(), path, reading, parsed)) {
    source = batch.source;
    rows.push(...batch.rows);
  }
  return { source, rows };
}

/** The message of the error that reading ends with. */
export async function readError(
  content: string | Buffer,
  options: { path?: string; format?: Partial<Format> } = {},
): Promise<string> {
  try {
    await readText(content, options);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return 'no error';
}

/** A row in short: its line and its cells, its JSON text, or `!` and the problem. */
export function brief(row: Row): readonly [number, string | readonly string[]] {
  if (row.kind === 'cells') return [row.line, row.cells];
  return [row.line, row.kind === 'record' ? row.text : `! ${row.problem}`];
}

async function* inBlocks(bytes: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
