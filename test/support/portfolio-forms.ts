import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import writeXlsx from 'write-excel-file/node';
import type { Encoding } from '../../src/model/source.ts';

/** One portfolio's header and cells, to be written in every form that a partner may send. */
export type Portfolio = { readonly header: readonly string[]; readonly rows: readonly (readonly string[])[] };

const HEADER = ['id', 'details.name', 'addresses.primary.town', 'internalInformation.notes'];

/** Rows whose names and towns are taken from the words in turn; every tenth note needs quotes in any dialect. */
export function portfolioOf(words: readonly string[], rows = 60): Portfolio {
  const row = (i: number) => {
    const word = words[i % words.length] ?? '';
    const note = i % 10 === 0 ? `${word}: "a", b; c | d\te\nsecond line` : '';
    return [`sub-${i + 1}`, `${word} ${i + 1} Ltd`, words[(i * 7) % words.length] ?? '', note];
  };
  return { header: HEADER, rows: Array.from({ length: rows }, (_, i) => row(i)) };
}

export type CsvForm = { readonly delimiter: string; readonly lineEnd: string };

export function csvOf({ header, rows }: Portfolio, { delimiter, lineEnd }: CsvForm): string {
  const cellOf = (cell: string) => (/["\r\n,;\t|]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return [header, ...rows].map((cells) => cells.map(cellOf).join(delimiter) + lineEnd).join('');
}

/** A record has no member for an empty cell, as a row has none for it. */
function recordsOf({ header, rows }: Portfolio): readonly Readonly<Record<string, string>>[] {
  return rows.map((cells) =>
    Object.fromEntries(header.map((name, i) => [name, cells[i] ?? '']).filter(([, cell]) => cell !== '')),
  );
}

export function jsonOf(portfolio: Portfolio): string {
  return JSON.stringify(recordsOf(portfolio), null, 1);
}

export function ndjsonOf(portfolio: Portfolio): string {
  return recordsOf(portfolio)
    .map((record) => `${JSON.stringify(record)}\n`)
    .join('');
}

export async function xlsxOf({ header, rows }: Portfolio): Promise<Buffer> {
  const cells = [header, ...rows].map((row) => row.map((value) => ({ value, type: String })));
  return writeXlsx(cells).toBuffer();
}

/** The text's bytes in the encoding; throws where it has no byte for a character. */
export function encode(text: string, encoding: Encoding, options: { bom: boolean; gzip: boolean }): Buffer {
  const bytes = iconv.encode(text, encoding, { addBOM: options.bom });
  if (iconv.decode(bytes, encoding) !== text) throw new Error(`${encoding} can't hold the text`);
  return options.gzip ? gzipSync(bytes, { level: 1 }) : bytes;
}
