import { expect, test } from 'vitest';
import { type CsvPiece, createCsvSplitter } from '../../../../src/readers/intake/csv/records.ts';
import { UNIX_CSV } from './unix-csv.ts';

function cutBy(size: number, text: string): CsvPiece[] {
  const split = createCsvSplitter(UNIX_CSV, 1);
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
