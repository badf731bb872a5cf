import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Transform } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { decodeLine } from './line.ts';
import type { StoredRecord } from './record.ts';
import { segmentName } from './segment-file.ts';

export type Segment = { readonly number: number; readonly form: 'log' | 'gz' };

/** A line that isn't what was written, by its number, from 1: it is left out. */
export type Damage = { readonly file: string; readonly line: number };
export type OnDamage = (damage: Damage) => void;

const SEGMENT = /^(\d{6,})\.(log|gz)$/;

/** A member's segments by their numbers; where both forms are there, the process died between making one and removing the other. */
export async function listSegments(folder: string): Promise<Segment[]> {
  const segments = new Map<number, Segment>();
  for (const name of await readdir(folder)) {
    const [, digits, form] = SEGMENT.exec(name) ?? [];
    const number = Number(digits);
    if (form === 'gz' || (form === 'log' && !segments.has(number))) segments.set(number, { number, form });
  }
  return [...segments.values()].sort((a, b) => a.number - b.number);
}

/**
 * The records of a segment. The last line may be torn by a crash and is left out without a word; any other damaged
 * line is left out and told. Throws ENOENT where there is no such file.
 */
export async function* readRecords(
  folder: string,
  { number, form }: Segment,
  onDamage: OnDamage,
): AsyncGenerator<StoredRecord> {
  const file = join(folder, segmentName(number, form));
  let line = 0;
  let damaged = 0;
  try {
    for await (const text of linesOf(file, form)) {
      if (damaged > 0) onDamage({ file, line: damaged });
      line += 1;
      const record = decodeLine(text);
      damaged = record === null ? line : 0;
      if (record !== null) yield record;
    }
  } catch (error) {
    if (!isDamagedArchive(error)) throw error;
    onDamage({ file, line: line + 1 });
  }
}

async function* linesOf(file: string, form: Segment['form']): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of textOf(file, form)) {
    const lines = `${rest}${piece}`.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

async function* textOf(file: string, form: Segment['form']): AsyncGenerator<string> {
  const source = createReadStream(file);
  const stream: Readable = form === 'log' ? source : unzipped(source);
  stream.setEncoding('utf8');
  try {
    for await (const piece of stream) yield String(piece);
  } finally {
    source.destroy();
    stream.destroy();
  }
}

function unzipped(source: Readable): Transform {
  const gunzip = createGunzip();
  source.on('error', (error) => gunzip.destroy(error));
  return source.pipe(gunzip);
}

/** An archive was whole on the disk before it took its name: what zlib refuses was damaged since. */
function isDamagedArchive(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
