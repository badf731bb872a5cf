/**
 * Typed cells in report files: which of a workbook row's cells held numbers or dates, with a digest
 * of each. Those that come back unchanged are not read by a definition's signs and patterns for
 * text.
 */
import { z } from 'zod';
import { shortDigest } from './digest.ts';

type Row = {
  readonly cells: readonly string[];
  readonly typed?: readonly number[] | undefined;
  readonly numeric?: readonly number[] | undefined;
};

export type TypedCells = { readonly typed: readonly number[]; readonly numeric: readonly number[] };

const DIGEST_LENGTH = 8;
const markSchema = z.templateLiteral([z.enum(['number', 'value']), ':', z.string().length(DIGEST_LENGTH)]);
const marksSchema = z.record(z.string(), markSchema);

/** By column: was it a number, and its digest; '': no typed cells. */
export function typedText(row: Row, columns: readonly string[]): string {
  const marks = (row.typed ?? []).map((at) => [
    columns[at] ?? '',
    markOf(row.numeric?.includes(at) === true ? 'number' : 'value', row.cells[at] ?? ''),
  ]);
  return marks.length === 0 ? '' : JSON.stringify(Object.fromEntries(marks));
}

/** The cells of `typedText` that are unchanged; `null`: the text names none, or other columns. */
export function readTyped(
  told: string,
  cells: readonly string[],
  columns: readonly string[],
): TypedCells | null {
  const marks = marksIn(told);
  if (marks.length === 0) return null;
  const typed: number[] = [];
  const numeric: number[] = [];
  for (const [name, mark] of marks) {
    const at = columns.indexOf(name);
    if (at === -1) return null;
    const cell = cells[at] ?? '';
    const isNumber = mark === markOf('number', cell);
    if (isNumber) numeric.push(at);
    if (isNumber || mark === markOf('value', cell)) typed.push(at);
  }
  return { typed, numeric };
}

function markOf(kind: 'number' | 'value', cell: string): string {
  return `${kind}:${shortDigest(cell, DIGEST_LENGTH)}`;
}

function marksIn(told: string): readonly (readonly [string, string])[] {
  try {
    return Object.entries(marksSchema.safeParse(JSON.parse(told)).data ?? {});
  } catch {
    return [];
  }
}
