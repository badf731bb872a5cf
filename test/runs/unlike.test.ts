import { describe, expect, test } from 'vitest';
import type { Profile } from '../../src/model/profile.ts';
import type { Row } from '../../src/model/row.ts';
import { createSpreadSample, profileOf } from '../../src/readers/intake/profile.ts';
import { columnsFindings, LIMITS, unusualIn } from '../../src/runs/unlike.ts';
import {
  DAMAGES,
  type Damage,
  type Delivery,
  damaged,
  type History,
  historyOf,
} from '../support/histories.ts';

/** Limits were chosen by the seeds before. */
const SEEDS = Array.from({ length: 150 }, (_, i) => 51 + i);

const rowsOf = ({ rows }: Delivery): Row[] =>
  rows.map((cells, i) => ({ kind: 'cells', row: i + 1, line: i + 2, cells: [...cells] }));

function profiled(delivery: Delivery, known: ReadonlySet<string> | null): Profile {
  // Fewer than the program looks at: it takes a fifth of the time, and finds less.
  const spread = createSpreadSample(400);
  spread.see(rowsOf(delivery));
  const sample = spread.rows();
  const keys = sample.flatMap((row) => (row.kind === 'cells' ? [row.cells[0] ?? ''] : []));
  const share =
    known === null ? null : keys.filter((key) => known.has(key)).length / Math.max(1, keys.length);
  const file = { rows: delivery.rows.length, source: { columns: [...delivery.columns] }, sample };
  return profileOf(file, share);
}

/** Of each delivery of the history, as it comes, whether it raises an alarm; then of its last one, damaged. */
function judged(history: History, seed: number) {
  const known = new Set<string>();
  const earlier: Profile[] = [];
  const isUnusual = (delivery: Delivery) =>
    unusualIn(profiled(delivery, earlier.length === 0 ? null : known), {
      earlier: earlier.toReversed(),
      delivery: history.kind,
    }).length > 0;
  const alarms: boolean[] = [];
  for (const delivery of [...history.earlier, history.next]) {
    if (earlier.length >= LIMITS.deliveries.fewest && delivery.rows.length >= LIMITS.rowsToPause)
      alarms.push(isUnusual(delivery));
    if (delivery === history.next) break;
    earlier.push(profiled(delivery, earlier.length === 0 ? null : known));
    for (const [key = ''] of delivery.rows) known.add(key);
  }
  const found = DAMAGES.flatMap((damage) => {
    const delivery = damaged(history, damage, seed);
    const isJudged = delivery !== null && delivery.rows.length >= LIMITS.rowsToPause;
    return isJudged && earlier.length >= LIMITS.deliveries.fewest
      ? [{ damage, isFound: isUnusual(delivery) }]
      : [];
  });
  return { kind: history.kind, alarms, found };
}

describe('a year of deliveries', () => {
  const all = SEEDS.map((seed) => judged(historyOf(seed), seed));

  test.each(['full', 'changes'] as const)('raises hardly an alarm as it should be: %s', (kind) => {
    const alarms = all.filter((one) => one.kind === kind).flatMap((one) => one.alarms);
    expect(alarms.length).toBeGreaterThan(80);
    expect(alarms.filter((isAlarm) => isAlarm).length / alarms.length).toBeLessThanOrEqual(0.03);
  });

  test.each(
    (['full', 'changes'] as const).flatMap((kind) =>
      DAMAGES.filter((damage) => damage !== 'redated' && (kind === 'full' || damage !== 'halved')).map(
        (damage): [History['kind'], Damage] => [kind, damage],
      ),
    ),
  )('is found where it was damaged: %s, %s', (kind, damage) => {
    const found = all
      .filter((one) => one.kind === kind)
      .flatMap((one) => one.found.filter((of) => of.damage === damage));
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ isFound }) => isFound).length / found.length).toBeGreaterThanOrEqual(0.95);
  });

  // Of files of changes too few have dates enough to give a share of their own.
  test('is found where its dates are written otherwise', () => {
    const found = all.flatMap((one) => one.found.filter(({ damage }) => damage === 'redated'));
    expect(found.length).toBeGreaterThan(20);
    expect(found.filter(({ isFound }) => isFound).length / found.length).toBeGreaterThanOrEqual(0.95);
  });
});

const column = (over: Partial<Profile['columns'][number]> = {}) => ({
  name: 'Name',
  filled: 1,
  repeated: 0.01,
  shapes: { 'words 16': 0.9, 'words 8': 0.1 },
  ...over,
});
const profile = (over: Partial<Profile> = {}): Profile => ({
  rows: 200,
  sampled: 200,
  known: 0.98,
  columns: [column()],
  ...over,
});
const BEFORE = [profile(), profile({ known: null })];
const full = { earlier: BEFORE, delivery: 'full' } as const;

test.each<[string, Profile, ReturnType<typeof unusualIn>]>([
  ['as before', profile(), []],
  ['cut', profile({ rows: 20 }), [{ what: 'rows', now: 20, before: 200 }]],
  ['doubled', profile({ rows: 400 }), [{ what: 'rows', now: 400, before: 200 }]],
  ['keys renamed', profile({ known: 0 }), [{ what: 'known', now: 0, before: 0.98 }]],
  [
    'a column emptied',
    profile({ columns: [column({ filled: 0, shapes: {}, repeated: 0 })] }),
    [{ what: 'filled', column: 'Name', now: 0, before: 1 }],
  ],
  [
    'one value throughout',
    profile({ columns: [column({ repeated: 1 })] }),
    [{ what: 'repeated', column: 'Name', now: 1, before: 0.01 }],
  ],
  [
    'another column’s cells',
    profile({ columns: [column({ shapes: { 'digits 8': 1 } })] }),
    [{ what: 'shapes', column: 'Name', now: 'digits 8', before: 'words 16' }],
  ],
  ['a new column', profile({ columns: [column(), column({ name: 'Fax', filled: 0.1 })] }), []],
])('%s', (_, now, findings) => {
  expect(unusualIn(now, full)).toEqual(findings);
});

test('nothing is unusual with one delivery before, and how many rows there are is no sign where only changes come', () => {
  expect(unusualIn(profile({ rows: 20, known: 0 }), { ...full, earlier: BEFORE.slice(0, 1) })).toEqual([]);
  expect(unusualIn(profile({ rows: 20 }), { ...full, delivery: 'changes' })).toEqual([]);
});

test('of changes, one file of known keys alone doesn’t make the next new ones unusual; two do, and so does one of all records', () => {
  const renewed = profile({ known: 0 });
  const found = (shares: readonly (number | null)[], delivery: 'full' | 'changes') =>
    unusualIn(renewed, { delivery, earlier: shares.map((known) => profile({ known })) });
  expect(found([1, null], 'changes')).toEqual([]);
  expect(found([1, 0.5, null], 'changes')).toEqual([{ what: 'known', now: 0, before: 0.5 }]);
  expect(found([1, 1, null], 'changes')).toEqual([{ what: 'known', now: 0, before: 1 }]);
  expect(found([1, null], 'full')).toEqual([{ what: 'known', now: 0, before: 1 }]);
});

test('deliveries before that don’t agree say nothing of rows, only the latest five are looked at', () => {
  const uneven = [profile({ rows: 90 }), profile({ rows: 300 })];
  expect(unusualIn(profile({ rows: 20 }), { ...full, earlier: uneven })).toEqual([]);
  const old = [profile(), profile(), profile(), profile(), profile(), profile({ rows: 20 })];
  expect(unusualIn(profile({ rows: 20 }), { ...full, earlier: old })).toHaveLength(1);
});

test('where few rows could be looked at, only their number is compared', () => {
  const few = { known: 0, sampled: 5 };
  expect(unusualIn(profile(few), full)).toEqual([]);
  expect(unusualIn(profile({ ...few, rows: 20 }), full)).toEqual([{ what: 'rows', now: 20, before: 200 }]);
});

test('keys that were renamed, and are built otherwise, are one finding; built otherwise alone they are one, too', () => {
  const built = { columns: [column({ shapes: { 'code 16': 1 } })] };
  const ofKey = { ...full, key: 'Name' };
  const found = (over: Partial<Profile>) => unusualIn(profile({ ...built, ...over }), ofKey);
  expect(found({ known: 0 })).toEqual([{ what: 'known', now: 0, before: 0.98 }]);
  expect(found({})).toEqual([{ what: 'shapes', column: 'Name', now: 'code 16', before: 'words 16' }]);
});

test('a field that JSON leaves out in all records is emptied; one that often was left out is not', () => {
  const without = profile({ columns: [] });
  expect(unusualIn(without, full)).toEqual([{ what: 'filled', column: 'Name', now: 0, before: 1 }]);
  expect(unusualIn(without, { ...full, earlier: [profile(), without] })).toEqual([]);
  // Of so many columns the last ones are not profiled.
  const many = Array.from({ length: 40 }, (_, i) => column({ name: `A${i + 10}` }));
  const earlier = [0, 1].map(() => profile({ columns: [...many.slice(1), column()] }));
  expect(unusualIn(profile({ columns: many }), { ...full, earlier })).toEqual([]);
});

test('columns that come and go are named, nameless ones are not', () => {
  const others = columnsFindings(['Ref', 'Name', ''], ['Ref', 'Legal', 'Fax']);
  expect(others).toEqual([{ what: 'columns', now: ['Name'], before: ['Legal', 'Fax'] }]);
  expect(columnsFindings(['Ref', ''], ['Ref'])).toEqual([]);
  expect(columnsFindings(['Ref'], null)).toEqual([]);
});
