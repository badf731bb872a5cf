import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createWriteCounter } from './aof-writes.ts';

function text(...words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join('')}`;
}

function writesIn(pieces: readonly Buffer[]): number {
  const counter = createWriteCounter();
  for (const piece of pieces) counter.add(piece);
  return counter.writes();
}

const SCRIPT = text('MULTI') + text('HSET', 'a', 'EXEC', '\r\n*1\r\n') + text('SET', 'é', '') + text('EXEC');
const SINGLE = text('hset', 'a', 'b', 'c');
const FILE = text('SELECT', '0') + SCRIPT + SINGLE + SCRIPT;

describe('what an append-only file tells', () => {
  test.each([
    ['a script that wrote several times', SCRIPT, 1],
    ['a single command', SINGLE, 1],
    ['a change of database, and nothing else', text('SELECT', '0'), 0],
    ['all of these', FILE, 3],
    ['nothing', '', 0],
    ['a script whose end is not written', SCRIPT.slice(0, -6), 0],
  ])('%s', (_, content, writes) => {
    expect(writesIn([Buffer.from(content)])).toBe(writes);
  });

  test('is the same whatever pieces it is read in', () => {
    const file = Buffer.from(FILE);
    fc.assert(
      fc.property(fc.array(fc.nat(file.length)), (places) => {
        const cuts = [0, ...places.toSorted((a, b) => a - b), file.length];
        expect(writesIn(cuts.slice(1).map((end, i) => file.subarray(cuts[i], end)))).toBe(3);
      }),
    );
  });

  test('that is something else is an error that shows it', () => {
    expect(() => writesIn([Buffer.from('REDIS0011\r\n')])).toThrow('"REDIS0011"');
  });
});
