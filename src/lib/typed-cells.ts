/**
 * Typed cells in report files: a workbook's report says which cells held numbers, dates or
 * booleans, with a digest of each. Those that come back unchanged are not read by the signs and
 * patterns that a definition gives for text.
 */
import { z } from 'zod';
import { shortDigest } from './digest.ts';

/** A row's cells, and the positions of those that are typed. */
type Row = { readonly cells: readonly string[]; readonly typed?: readonly number[] | undefined };

const DIGEST_LENGTH = 8;
const digestsSchema = z.record(z.string(), z.string().length(DIGEST_LENGTH));

/** The digest of each typed cell, by column; empty where there are none. */
export function typedText({ cells, typed = [] }: Row, columns: readonly string[]): string {
  const digests = typed.map((at) => [columns[at] ?? '', digestOf(cells[at] ?? '')]);
  return digests.length === 0 ? '' : JSON.stringify(Object.fromEntries(digests));
}

/** The typed cells that nobody has changed since; `null` where other columns are named. */
export function readTyped(
  told: string,
  cells: readonly string[],
  columns: readonly string[],
): readonly number[] | null {
  const digests = digestsIn(told);
  const places = digests.map(([name]) => columns.indexOf(name));
  if (places.length === 0 || places.includes(-1)) return null;
  return places.filter((at, i) => digests[i]?.[1] === digestOf(cells[at] ?? ''));
}

function digestOf(cell: string): string {
  return shortDigest(cell, DIGEST_LENGTH);
}

function digestsIn(told: string): readonly (readonly [string, string])[] {
  try {
    return Object.entries(digestsSchema.safeParse(JSON.parse(told)).data ?? {});
  } catch {
    return [];
  }
}
