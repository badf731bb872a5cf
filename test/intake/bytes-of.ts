import iconv from 'iconv-lite';
import { type Format, formatSchema } from '../../src/config/job-definition.ts';
import { type Inspected, inspectBytes } from '../../src/intake/inspect.ts';
import type { Encoding } from '../../src/model/source.ts';

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

/** What the inspection tells of bytes that come in blocks of that size. */
export async function inspect(
  bytes: Buffer,
  options: { path?: string; format?: Partial<Format>; blockBytes?: number } = {},
): Promise<Inspected> {
  const { path = 'file.csv', format = {}, blockBytes = 1 << 16 } = options;
  return inspectBytes(() => inBlocks(bytes, blockBytes), path, formatSchema.parse(format));
}

/** The message of the error that the inspection ends with. */
export async function inspectError(...args: Parameters<typeof inspect>): Promise<string> {
  try {
    await inspect(...args);
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  }
  return 'no error';
}

export async function* inBlocks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
