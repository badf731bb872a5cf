import { expect, test } from 'vitest';
import { type CsvPiece, createCsvSplitter } from '../../../src/intake/csv/records.ts';
import { UNIX_CSV } from './unix-csv.ts';

function cutBy(size: number, text: string): CsvPiece[] {
  const split = createCsvSplitter({ dialect: UNIX_CSV, columns: 3 }, 1);
  const pieces: CsvPiece[] = [];
  for (let at = 0; at < text.length; at += size) {
    pieces.push(...split(text.slice(at, at + size), at + size >= text.length));
  }
  return pieces;
}

const BYTES = 240_000;
/** Of this process, not of a busy machine; the first kind of file took over ten seconds. */
const MOST_CPU_MS = 3_000;

test.each(['"a\n', 'a,"b\n', '"a,"b\n', '"""a\n', 'a"b,c\n', '"a""b\n', 'x,y,"z\n"q,r,s\n'])(
  'a file of nothing but lone quotes (%j) is cut in time that grows with its length',
  (line) => {
    const begin = process.cpuUsage();
    const pieces = cutBy(64 * 1024, line.repeat(BYTES / line.length));
    expect(process.cpuUsage(begin).user / 1_000).toBeLessThan(MOST_CPU_MS);
    expect(pieces.some(({ kind }) => kind === 'bad')).toBe(true);
  },
);

test('after many damaged records the answer is still the same however the text was cut into blocks', () => {
  const text = `${'"a\n'.repeat(3_000)}k,l,m\n"n,o\np",q"r,s\nt,u,v\n${'w,x,y\n'.repeat(60)}`;
  const whole = rowsOf(cutBy(text.length, text));
  expect(rowsOf(cutBy(977, text))).toEqual(whole);
  expect(whole.at(-1)).toBe('w,x,y');
});

/** Every record's text, whichever piece it came in. */
function rowsOf(pieces: readonly CsvPiece[]): string[] {
  return pieces.flatMap((piece) => {
    if (piece.kind !== 'records') return [JSON.stringify(piece)];
    return piece.starts.map((start, i) => piece.text.slice(start, piece.starts[i + 1]).trimEnd());
  });
}
