import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/lib/usage-error.ts';
import type { Row } from '../../../../src/model/row.ts';
import { MAX_UNREADABLE_CHARS } from '../../../../src/readers/intake/row.ts';
import { readText } from '../read-text.ts';

/** Names and notes with whatever makes a cell need quotes, and signs that a damage may bring up. */
const name = fc.constantFrom(
  'Acme Ltd',
  'Müller & Söhne',
  'Say "Cheese", Inc',
  '5" Pipes',
  'A\n\nB "c"\nd,e',
);
const note = fc.constantFrom('', 'none', 'a,b;c|d', 'first\nfoo,bar,baz\nlast', "it's 3\t4", ' spaced ');
const table = fc.array(fc.tuple(name, note), { minLength: 20, maxLength: 20 });
const dialect = fc.record({ delimiter: fc.constantFrom(',', ';', '\t', '|'), isQuotedAll: fc.boolean() });

/** Where something happens to the file, as a share of it; what is put there, and how many characters are lost. */
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  put: fc.constantFrom('', '"', '\\"', 'DELIMITER', '\n', '\r', 'x"y'),
  drop: fc.constantFrom(0, 1, 2, Number.POSITIVE_INFINITY),
});

/** A file, and for the line of each record its cells as JSON. */
type Original = { readonly text: string; readonly records: ReadonlyMap<number, string> };

function originalOf(
  pairs: readonly (readonly [string, string])[],
  { delimiter, isQuotedAll }: { readonly delimiter: string; readonly isQuotedAll: boolean },
): Original {
  const write = (cells: readonly string[]) =>
    cells
      .map((cell) => {
        const isQuoted = isQuotedAll || cell.includes(delimiter) || /["\n]/.test(cell);
        return isQuoted ? `"${cell.replaceAll('"', '""')}"` : cell;
      })
      .join(delimiter);
  const records = new Map<number, string>();
  let text = `${write(['Ref', 'Name', 'Note', 'Volume'])}\n`;
  for (const [i, pair] of pairs.entries()) {
    const cells = [`C-${i + 1}`, ...pair, `${i}.50`];
    records.set(text.split('\n').length, JSON.stringify(cells));
    text += `${write(cells)}\n`;
  }
  return { text, records };
}

/** Readable rows that the whole file has not at that place, counted in lines from its start or from its end, or has once only. */
function wrongRows(original: Original, damaged: string, at: number, rows: readonly Row[]): readonly Row[] {
  const shift = original.text.split('\n').length - damaged.split('\n').length;
  const line = original.text.slice(0, at).split('\n').length;
  const touched = Math.max(0, ...[...original.records.keys()].filter((start) => start <= line));
  const met = new Set<number>();
  return rows.filter((row) => {
    if (row.kind !== 'cells') return false;
    const isThere = (n: number) => original.records.get(n) === JSON.stringify(row.cells) || n === touched;
    const found = [row.line, row.line + shift].find(isThere);
    if (found === undefined || met.has(found)) return true;
    met.add(found);
    return false;
  });
}

test('wherever a file is damaged or cut off, rows are as the whole file has them, or marked, or it is refused', async () => {
  let read = 0;
  await fc.assert(
    fc.asyncProperty(table, dialect, damage, async (pairs, signs, { put, drop, ...where }) => {
      const original = originalOf(pairs, signs);
      const header = original.text.indexOf('\n') + 1;
      const at = header + Math.floor(where.at * (original.text.length - header));
      const damaged =
        original.text.slice(0, at) +
        put.replace('DELIMITER', signs.delimiter) +
        original.text.slice(at + drop);
      const reading = await readText(damaged, { blocks: [65_536, 1000] }).catch((error: unknown) => {
        if (error instanceof UsageError) return null;
        throw error;
      });
      const rows = reading?.rows ?? [];
      expect(wrongRows(original, damaged, at, rows)).toEqual([]);
      expect(
        rows.every(({ kind, ...row }) => !('text' in row) || row.text.length <= MAX_UNREADABLE_CHARS),
      ).toBe(true);
      read += rows.filter(({ kind }) => kind === 'cells').length;
    }),
    { numRuns: 400 },
  );
  expect(read).toBeGreaterThan(1000);
});
