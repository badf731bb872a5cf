import { expect, test } from 'vitest';
import { MAX_UNREADABLE_CHARS } from '../../../src/intake/row.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import type { Row } from '../../../src/model/row.ts';
import { readText } from '../read-text.ts';
import { type Broken, CSV_DAMAGES } from './csv.ts';
import { JSON_DAMAGES } from './json.ts';
import { csvOriginal, jsonOriginal, type Original, randomFrom } from './originals.ts';

const SEEDS = 6;

const SHAPES = ['ndjson', 'list', 'held'] as const;
const KINDS = [
  ...Object.entries(CSV_DAMAGES).map(([name, damage]) => ({ name, damage, shape: 'csv' as const })),
  ...SHAPES.flatMap((shape) =>
    Object.entries(JSON_DAMAGES).map(([name, damage]) => ({ name, damage, shape })),
  ),
];

test.each(KINDS)(
  '$shape with $name: rows as the whole file has them, or marked, or refused',
  async ({ name, damage, shape }) => {
    for (let seed = 1; seed <= SEEDS; seed += 1) {
      const random = randomFrom(seed + 1000 * name.length);
      const original = shape === 'csv' ? csvOriginal(random) : jsonOriginal(random, shape);
      const broken = damage(original, random);
      const rows = await read(broken.bytes, shape);
      if (rows === null) continue;
      expect({ seed, isRead: broken.isRefused === true }).toEqual({ seed, isRead: false });
      expect({ seed, wrong: broken.isOther ? [] : wrongRows(original, broken, rows) }).toEqual({
        seed,
        wrong: [],
      });
      expect(rows.every((row) => row.kind !== 'unreadable' || row.text.length <= MAX_UNREADABLE_CHARS)).toBe(
        true,
      );
    }
  },
);

test('the damages and their seeds make two hundred files and more', () => {
  expect(KINDS.length * SEEDS).toBeGreaterThan(200);
});

/** The file's rows, or `null` where it is refused; any other error fails the test. */
async function read(bytes: Buffer, shape: (typeof SHAPES)[number] | 'csv'): Promise<readonly Row[] | null> {
  const path = { csv: 'f.csv', ndjson: 'f.ndjson', list: 'f.json', held: 'f.json' }[shape];
  const format = shape === 'held' ? { records: '/data/items' } : {};
  try {
    return (await readText(bytes, { path, format, blocks: [65_536, 1000] })).rows;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** Readable rows that the whole file has not at that place, counted in lines from its start or from its end, or has once only. */
function wrongRows(original: Original, broken: Broken, rows: readonly Row[]): unknown[] {
  const shift = original.text.split('\n').length - broken.bytes.toString('latin1').split('\n').length;
  const met = new Set<number>();
  return rows.filter((row) => {
    if (row.kind === 'unreadable') return false;
    const shown = row.kind === 'cells' ? JSON.stringify(row.cells) : row.text;
    const line = [row.line, row.line + shift].find(
      (l) => original.records.get(l) === shown || broken.touched.includes(l),
    );
    if (line === undefined || met.has(line)) return true;
    met.add(line);
    return false;
  });
}
