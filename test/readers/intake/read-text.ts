import iconv from 'iconv-lite';
import { type Format, formatSchema } from '../../../src/config/job-definition.ts';
import type { Row } from '../../../src/model/row.ts';
import type { Encoding, SourceInfo } from '../../../src/model/source.ts';
import { asShown } from '../../../src/readers/intake/encoding.ts';
import type { ReadFormat } from '../../../src/readers/intake/row-feed.ts';
import { openRows } from '../../../src/readers/intake/rows.ts';
import { openText } from '../../../src/readers/intake/text.ts';

type Reading = { readonly source: SourceInfo | null; readonly rows: readonly Row[] };

/** Reads content as if it were a file of that name, cut into blocks of the given sizes over and over. */
export async function readText(
  content: string | Buffer,
  options: { path?: string; format?: Partial<ReadFormat>; blocks?: readonly number[] } = {},
): Promise<Reading> {
  const { path = 'file.csv', format = {}, blocks = [1 << 20] } = options;
  const { isNeeded, ...settings } = format;
  const read = { ...formatSchema.parse(settings), ...(isNeeded && { isNeeded }) };
  const rows: Row[] = [];
  let source: SourceInfo | null = null;
  const bytes = inBlocks(Buffer.from(content), blocks);
  for await (const batch of openRows(path, read, bytes)) {
    source = batch.source;
    rows.push(...batch.rows);
  }
  return { source, rows };
}

/** The message of the error that reading ends with. */
export const readError = (...args: Parameters<typeof readText>) => messageOf(readText(...args));

async function messageOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    (error) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
  );
}

/** For files whose delimiter is no matter of the test. */
export const COMMA = { format: { delimiter: ',' } };

/** A row in short: its line, and its cells with `¦` between them, its JSON text, or `!` and the problem. */
export function brief(row: Row): string {
  if (row.kind === 'cells') return `${row.line}: ${row.cells.join('¦')}`;
  return `${row.line}: ${row.kind === 'record' ? row.text : `! ${row.problem}`}`;
}

/** The bytes in blocks of these sizes over and over. */
export async function* inBlocks(bytes: Buffer, sizes: number | readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let i = 0; at < bytes.length; i += 1) {
    const size = typeof sizes === 'number' ? sizes : (sizes[i % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

/** The text's bytes in an encoding that has all of its characters; throws where one is missing. */
export function bytesOf(text: string, encoding: Encoding, options: { bom?: boolean } = {}): Buffer {
  const whole = options.bom === true ? `\uFEFF${text}` : text;
  const bytes = iconv.encode(whole, encoding);
  if (iconv.decode(bytes, encoding, { stripBOM: false }) !== whole)
    throw new Error(`${encoding} can't hold ${JSON.stringify(text)}`);
  return bytes;
}

/** Bytes as hex and as text in between: `caf{E9}`. */
export function raw(text: string): Buffer {
  const parts = text.split(/\{([0-9A-F ]+)\}/);
  return Buffer.concat(
    parts.map((part, i) => Buffer.from(part.replaceAll(i % 2 ? ' ' : '\0', ''), i % 2 ? 'hex' : 'utf8')),
  );
}

/** How a text's encoding is told, by reading it to its end. */
export async function toldEncoding(
  bytes: Buffer,
  options: { format?: Partial<Format>; blockBytes?: number } = {},
): Promise<{ readonly encoding: Encoding; readonly notes: readonly string[] }> {
  const { format = {}, blockBytes = 1 << 16 } = options;
  const text = await openText(inBlocks(bytes, blockBytes), 'file.csv', formatSchema.parse(format));
  for await (const _ of text.texts);
  return { encoding: text.encoding, notes: text.notes() };
}

/** The message of the error that this ends with, as somebody is told who looks at the file. */
export const untoldError = (...args: Parameters<typeof toldEncoding>) =>
  messageOf(toldEncoding(...args).catch(asShown));
