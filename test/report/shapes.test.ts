import { describe, expect, test } from 'vitest';
import { isoDate } from '../../src/mapping/dates.ts';
import { integerConversion, numberConversion } from '../../src/mapping/numbers.ts';
import { createTally } from '../../src/report/tally.ts';
import { settled } from './make-report.ts';

type Conversion = typeof isoDate;

function issue(cell: string, conversion: Conversion, column = 'A "b"') {
  const { expected, remedy } = conversion;
  return { code: 'cell_not_convertible', column, expected, settings: remedy?.(cell) ?? [] } as const;
}

/** What is found in a column of refused cells: how many, the first rows, what they look like, and the settings that read them. */
function shapesOf(cells: readonly string[], conversion: Conversion = isoDate) {
  const tally = createTally();
  for (const [i, cell] of cells.entries())
    tally.add(settled(i + 1, 'invalid', { issues: [issue(cell, conversion)] }));
  return tally.shapes().map(({ count, rows, looksLike, settings }) => [count, rows, looksLike, settings]);
}

const times = (n: number, cell: string) => Array.from({ length: n }, () => cell);

test.each([
  [
    'whose days tell the order',
    ['25.02.2020', '26.02.2020', '01.02.2020', '02.02.2020'],
    [[4, [1, 2, 3], '31.03.2020', [{ pattern: 'dd.MM.yyyy' }]]],
  ],
  [
    'that could be either',
    ['01.02.2020', '02.02.2020'],
    [[2, [1, 2], '31.03.2020', [{ pattern: 'dd.MM.yyyy' }, { pattern: 'MM.dd.yyyy' }]]],
  ],
  [
    'of one and of two digits',
    ['1.2.2020', '25.02.2020', '5.12.2020'],
    [[3, [1, 2, 3], '31.3.2020', [{ pattern: 'd.M.yyyy' }]]],
  ],
  [
    'in two notations',
    [...times(3, '25.02.2020'), '2020/02/25'],
    [
      [3, [1, 2, 3], '31.03.2020', [{ pattern: 'dd.MM.yyyy' }]],
      [1, [4], '2020/03/31', [{ pattern: 'yyyy/MM/dd' }]],
    ],
  ],
  ['with a time', ['25/02/2020 10:11'], [[1, [1], '31/03/2020 09:30', [{ pattern: 'dd/MM/yyyy HH:mm' }]]]],
  ['without signs', ['20200225'], [[1, [1], '20200331', [{ pattern: 'yyyyMMdd' }]]]],
  ['that are none', ['31.02.2020', 'tomorrow', '12345678', '1.1.20', ''], []],
])('refused dates of a column %s are told once', (_, cells, shapes) => {
  expect(shapesOf(cells)).toEqual(shapes);
});

describe('refused numbers of a column', () => {
  test.each([
    ['some grouped', ['1.234,50', '12,5', '7.000,10'], [[3, [1, 2, 3], '1.234,56', [{ decimal: ',' }]]]],
    ['with decimal commas', ['12,5', '1234,5'], [[2, [1, 2], '1.234,56', [{ decimal: ',' }]]]],
    ['of which some could be either', ['1,234', '1,5'], [[2, [1, 2], '1.234,56', [{ decimal: ',' }]]]],
    ['with both signs', ['1 234,5', '7,5'], [[2, [1, 2], '1.234,56', [{ decimal: ',' }]]]],
    ['that are none', ['n/a', '1,2,3'], []],
  ])('%s are told once', (_, cells, shapes) => {
    expect(shapesOf(cells, numberConversion({}))).toEqual(shapes);
  });

  test('whole numbers with groups are told with their sign', () => {
    const found = shapesOf(["1'234", "12'000"], integerConversion({}));
    expect(found).toEqual([[2, [1, 2], '1,234.56', [{ decimal: '.' }]]]);
  });
});

test('a row with issues in several columns counts in each', () => {
  const tally = createTally();
  const issues = [
    issue('25.12.1987', isoDate, 'Date'),
    { code: 'empty_key', column: null, expected: 'a key' } as const,
    issue('987.654,32', numberConversion({}), 'Sum'),
  ];
  tally.add(settled(4, 'invalid', { issues }));
  expect(tally.shapes().map(({ column, rows }) => [column, rows])).toEqual([
    ['Date', [4]],
    ['Sum', [4]],
  ]);
});
