import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Figures, measure } from './measure.ts';
import { ROOT, textOf } from './source-files.ts';

/*
 * The limits only go down: `npm run house -- --lower` writes today's numbers with a little room. CONTRIBUTING.md says how a capability
 * raises one.
 */
const FILE = 'test/house/limits.json';

const numbers = z.record(z.string(), z.number());
const limitsSchema = z.object({
  all: z.number(),
  src: numbers,
  lines: numbers,
  counts: numbers,
  signs: numbers,
});
type Limits = z.infer<typeof limitsSchema>;

const ROOM = { share: 0.02, lines: 30 };
/** A limit further above its number than that is to be lowered. */
const LOOSE = { share: 0.05, lines: 60 };
/** Smaller counts have no room. */
const EXACT_BELOW = 100;

function limitOf(value: number): number {
  return value + Math.max(ROOM.lines, Math.ceil(ROOM.share * value));
}

/** The limits that these figures allow; none goes up. */
function lowered({ src, lines, counts, signs }: Figures, before: Limits): Limits {
  const each = (values: Figures['src'], had: Figures['src'], limit: (value: number) => number) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        name,
        Math.min(limit(value), had[name] ?? limit(value)),
      ]),
    );
  const ofSrc = each(src, before.src, limitOf);
  const countLimit = (count: number) => (count < EXACT_BELOW ? count : Math.ceil((1 + ROOM.share) * count));
  return {
    all: Object.values(ofSrc).reduce((sum, limit) => sum + limit, 0),
    src: ofSrc,
    lines: each(lines, before.lines, limitOf),
    counts: each(counts, before.counts, countLimit),
    signs: each(signs, before.signs, (mean) => mean),
  };
}

/** A sentence for each number that is not within its limit, or so far below that the limit holds nothing. */
function offences(figures: Figures, limits: Limits): readonly string[] {
  const found: string[] = [];
  const hold = (name: string, value: number, limit: number, loose: number) => {
    if (value > limit) found.push(`${name}: ${value}, at most ${limit}`);
    if (limit - value > loose)
      found.push(`${name}: ${value} is far below ${limit}: npm run house -- --lower`);
  };
  for (const kind of ['src', 'lines'] as const) {
    const names = new Set([...Object.keys(figures[kind]), ...Object.keys(limits[kind])]);
    for (const name of names) {
      const limit = limits[kind][name] ?? 0;
      hold(`lines of ${name}`, figures[kind][name] ?? 0, limit, Math.max(LOOSE.lines, LOOSE.share * limit));
    }
  }
  for (const [name, count] of Object.entries(figures.counts)) {
    const limit = limits.counts[name] ?? 0;
    hold(name, count, limit, limit < EXACT_BELOW ? 0 : LOOSE.share * limit);
  }
  for (const [name, mean] of Object.entries(figures.signs))
    hold(`signs a line of ${name}`, mean, limits.signs[name] ?? 0, Number.POSITIVE_INFINITY);
  const sum = Object.values(limits.src).reduce((all, limit) => all + limit, 0);
  if (sum > limits.all) found.push(`the limits of the folders of src come to ${sum}, at most ${limits.all}`);
  return found;
}

test('the house is no larger than it may be, and its limits hold it', async () => {
  const figures = await measure();
  const before = limitsSchema.parse(JSON.parse(textOf(FILE)));
  const limits = process.env.HOUSE === 'lower' ? lowered(figures, before) : before;
  if (limits !== before) writeFileSync(join(ROOT, FILE), `${JSON.stringify(limits, null, 2)}\n`);
  if (process.env.HOUSE !== undefined) process.stderr.write(`${tableOf(figures, limits)}\n`);
  expect(offences(figures, limits)).toEqual([]);
});

function tableOf(figures: Figures, limits: Limits): string {
  const ofSrc = Object.values(figures.src).reduce((sum, value) => sum + value, 0);
  const rows = [
    ...Object.entries(figures.src).map(([name, value]) => [`src/${name}`, value, limits.src[name]]),
    ['src', ofSrc, limits.all],
    ...Object.entries(figures.lines).map(([name, value]) => [name, value, limits.lines[name]]),
    ...Object.entries(figures.counts).map(([name, value]) => [name, value, limits.counts[name]]),
  ];
  return rows
    .map(([name, value, limit]) => `${String(name).padEnd(36)}${String(value).padStart(8)}  of ${limit}`)
    .join('\n');
}

describe('the limits themselves', () => {
  const figures: Figures = {
    src: { a: 1_000, b: 5_000 },
    lines: { test: 10_000 },
    counts: { flags: 60, exports: 200 },
    signs: { a: 30.1, b: 28 },
  };
  const none: Limits = { all: 0, src: {}, lines: {}, counts: {}, signs: {} };
  const limits = lowered(figures, none);

  test.each<[string, Partial<Figures>, string]>([
    ['a folder that grew', { src: { a: 1_031, b: 5_000 } }, 'lines of a: 1031, at most 1030'],
    [
      'one smaller',
      { src: { a: 900, b: 5_000 } },
      'lines of a: 900 is far below 1030: npm run house -- --lower',
    ],
    ['one more flag', { counts: { flags: 61, exports: 200 } }, 'flags: 61, at most 60'],
    [
      'a flag less',
      { counts: { flags: 59, exports: 200 } },
      'flags: 59 is far below 60: npm run house -- --lower',
    ],
    ['longer lines', { signs: { a: 30.2, b: 28 } }, 'signs a line of a: 30.2, at most 30.1'],
  ])('notice %s', (_, changed, said) => {
    expect(offences({ ...figures, ...changed }, limits)).toEqual([said]);
  });

  test('notice folders that may have more together than all of them may', () => {
    expect(offences(figures, { ...limits, all: 6_129 })).toEqual([
      'the limits of the folders of src come to 6130, at most 6129',
    ]);
  });

  test('are never raised when they are lowered', () => {
    const grown = { ...figures, src: { a: 900, b: 6_000 }, signs: { a: 30.2, b: 27 } };
    const { src, signs } = lowered(grown, limits);
    expect([src, signs]).toEqual([
      { a: 930, b: 5_100 },
      { a: 30.1, b: 27 },
    ]);
  });
});
