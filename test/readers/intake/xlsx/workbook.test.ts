import { describe, expect, test } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { formatSchema } from '../../../../src/config/job-definition.ts';
import { typedText } from '../../../../src/lib/typed-cells.ts';
import { readWorkbook } from '../../../../src/readers/intake/xlsx/workbook.ts';
import { ownFile } from '../../../support/folder.ts';
import { cellsOf, makeWorkbook, type Reading, readFileOf, refusalOf } from '../../../support/workbook.ts';

/** Rows of a sheet, one string per cell; `null` leaves the cell out, `undefined` the row. */
function sheetOf(...rows: readonly (readonly (string | null)[] | undefined)[]): string {
  return rows.map((cells, i) => (cells === undefined ? '' : rowOf(i + 1, cells))).join('');
}

function rowOf(line: number, cells: readonly (string | null)[], attributes = ''): string {
  const made = cells.map((cell, i) =>
    cell === null ? '' : `<c r="${'ABCDEFG'.charAt(i)}${line}" t="str"><v>${cell}</v></c>`,
  );
  return `<row r="${line}"${attributes}>${made.join('')}</row>`;
}

function brief({ rows }: Reading): readonly (readonly [number, number, string | readonly string[]])[] {
  return rows.map((row) => [row.row, row.line, cellsOf(row)]);
}

describe('a workbook that a library wrote', () => {
  const cells = [
    ['id', 'when', 'amount', 'ok', 'empty', 'note'],
    ['00123', new Date(Date.UTC(2020, 2, 31)), 1234.56, true, null, ' a & <b>\nc '],
    ['', new Date(Date.UTC(2020, 2, 31, 9, 30)), -0.000001, false, null, '😀'],
  ];

  test('gives the cells that were put in', async () => {
    const content = await writeXlsxFile(cells, { sheet: 'Payees', dateFormat: 'dd/mm/yyyy' }).toBuffer();
    const reading = await readFileOf(content);
    expect(reading.source).toEqual({
      type: 'xlsx',
      encoding: 'utf-8',
      bom: false,
      compression: 'none',
      headerLine: 1,
      sheet: 'Payees',
      sheets: ['Payees'],
      notes: [],
      delimiter: null,
      quote: null,
      columns: ['id', 'when', 'amount', 'ok', 'empty', 'note'],
      uneven: [],
    });
    expect(reading.rows).toEqual([
      {
        kind: 'cells',
        row: 1,
        line: 2,
        cells: ['00123', '2020-03-31', '1234.56', 'true', '', ' a & <b>\nc '],
        typed: [1, 2, 3],
      },
      {
        kind: 'cells',
        row: 2,
        line: 3,
        cells: ['', '2020-03-31T09:30:00', '-0.000001', 'false', '', '😀'],
        typed: [1, 2, 3],
      },
    ]);
  });
});

test('the sheet is understood before its rows are read, and reading can stop there', async () => {
  const path = await ownFile(makeWorkbook({ data: sheetOf(['id'], ['1']) }));
  const reader = readWorkbook(path, formatSchema.parse({}));
  expect(await reader.next()).toMatchObject({
    done: false,
    value: { source: { columns: ['id'] }, rows: [] },
  });
  expect(await reader.return(undefined)).toEqual({ done: true, value: undefined });
});

describe('the header', () => {
  test('is the first row with anything in it, and names lose the spaces around them', async () => {
    const data = sheetOf(undefined, [' '], [' id ', 'name\u00A0'], ['1', 'x']);
    const reading = await readFileOf(makeWorkbook({ data }));
    expect(reading.source).toMatchObject({ headerLine: 3, columns: ['id', 'name'] });
    expect(brief(reading)).toEqual([[1, 4, ['1', 'x']]]);
  });

  test.each([
    [
      [
        ['Portfolio of May'],
        undefined,
        ['Partner', 'Acme'],
        ['id', 'name', 'to'],
        ['1', 'x', 'FR'],
        ['2', 'y'],
      ],
      4,
    ],
    [[['Portfolio of May'], ['id', 'name'], ['1', 'x']], 2],
    [
      [
        [null, 'Portfolio'],
        ['id', 'name'],
        ['1', 'x'],
      ],
      2,
    ],
  ])('is not taken to be a title above it: %j', async (rows, line) => {
    const content = makeWorkbook({ data: sheetOf(...rows) });
    expect(await refusalOf(content)).toContain(
      `file.xlsx: row 1: doesn't look like a header, but row ${line} does: expected column names first`,
    );
    expect(await refusalOf(content)).toContain(`set format.header: ${line}, or format.header: 1 if`);
    expect((await readFileOf(content, { header: line })).source.headerLine).toBe(line);
  });

  test.each([
    ['one column', [['name'], ['Acme'], ['Foo']]],
    ['one column with a value beside it', [['id'], ['1'], ['2', 'lost', 'and found'], ['3'], ['4']]],
    ['one column of values beside it', [['id'], ['1', '5'], ['2', '6']]],
  ])('may be the first row of %s', async (_, rows) => {
    const reading = await readFileOf(makeWorkbook({ data: sheetOf(...rows) }));
    expect(reading.source.headerLine).toBe(1);
  });

  test('ends with its last name', async () => {
    const reading = await readFileOf(
      makeWorkbook({ data: sheetOf(['id', 'name', ' ', ''], ['1', 'x', '']) }),
    );
    expect(reading.source.columns).toEqual(['id', 'name']);
    expect(brief(reading)).toEqual([[1, 2, ['1', 'x']]]);
  });

  test.each([
    [
      [['onboard_row', 'name', 'onboard_row ', 'name']],
      'columns A and C are both named "onboard_row": expected every name once; rename or remove one',
    ],
    [
      [['id', 'a.__proto__']],
      'column B is named "a.__proto__", which is refused: expected no __proto__, constructor or prototype in a name; rename it',
    ],
  ])('%j is refused', async (rows, problem) => {
    expect(await refusalOf(makeWorkbook({ data: sheetOf(...rows) }))).toBe(
      `UsageError: file.xlsx: has a header, row 1, that can't be used: ${problem}`,
    );
  });

  test('may have cells without a name and with the same name; an error below no name does no harm', async () => {
    const data = `${sheetOf([null, 'id', 'name', 'id'], ['1', 'a', 'x', 'b'])}<row><c t="e"><v>#REF!</v></c><c t="str"><v>c</v></c></row>`;
    const reading = await readFileOf(makeWorkbook({ data }));
    expect(reading.source.columns).toEqual(['', 'id', 'name', 'id']);
    expect(brief(reading)).toEqual([
      [1, 2, ['1', 'a', 'x', 'b']],
      [2, 3, ['', 'c', '', '']],
    ]);
  });

  test('may not hold an error', async () => {
    const data = '<row><c t="str"><v>id</v></c><c t="e"><v>#REF!</v></c></row>';
    expect(await refusalOf(makeWorkbook({ data }))).toContain('column B: the error #REF!');
  });

  test.each([
    [{}, 'expected a row of column names'],
    [{ header: 2 }, 'expected column names in row 2, as format.header says'],
  ])('is missing in an empty sheet', async (format, expected) => {
    expect(await refusalOf(makeWorkbook(), format)).toBe(
      `UsageError: file.xlsx: has nothing on its sheet "Sheet1": ${expected}; set format.sheet where another sheet is meant, of "Sheet1"`,
    );
  });

  test('is not looked for elsewhere than where format.header says', async () => {
    const data = sheetOf(['id'], undefined, ['1']);
    expect(await refusalOf(makeWorkbook({ data }), { header: 2 })).toBe(
      'UsageError: file.xlsx: has nothing in row 2: expected the header there, as format.header says; correct format.header',
    );
  });
});

describe('rows', () => {
  test('that are empty are passed over, and the lines stay the sheet’s', async () => {
    const data = sheetOf(
      ['id', 'name'],
      ['1', 'x'],
      undefined,
      [null, ''],
      [null, 'y'],
      ['', ''],
      undefined,
      [''],
    );
    expect(brief(await readFileOf(makeWorkbook({ data })))).toEqual([
      [1, 2, ['1', 'x']],
      [2, 5, ['', 'y']],
    ]);
  });

  test('with a value to the right of the header are unreadable, the others are exact', async () => {
    const data = sheetOf(['id', 'name'], ['1', 'x', 'lost'], ['2', 'y', '']);
    expect(brief(await readFileOf(makeWorkbook({ data })))).toEqual([
      [
        1,
        2,
        '! column C has no name in the header: expected nothing in it, since a row with a cell too many would look the same; name the column, or correct the row',
      ],
      [2, 3, ['2', 'y']],
    ]);
  });

  test('that are unreadable keep what could be read', async () => {
    const data = `${sheetOf(['id', 'name', 'sum'])}<row><c t="str"><v>7</v></c><c t="e"><v>#N/A</v></c><c><v>1.5E2</v></c></row>`;
    const { rows } = await readFileOf(makeWorkbook({ data }));
    expect(rows).toEqual([
      {
        kind: 'unreadable',
        row: 1,
        line: 2,
        text: '7\t\t150',
        problem: 'column "name": the error #N/A: expected a value; correct the formula',
      },
    ]);
  });

  test('that repeat the header are unreadable', async () => {
    const data = sheetOf(['id', 'name'], ['1', 'x'], ['id', ' name'], ['name', 'x']);
    expect(brief(await readFileOf(makeWorkbook({ data })))).toEqual([
      [1, 2, ['1', 'x']],
      [2, 3, '! the header once more: expected it once, at the top; remove this row'],
      [3, 4, ['name', 'x']],
    ]);
  });

  test('that have the names of the header in another order refuse the file', async () => {
    const data = sheetOf(['id', 'name'], ['1', 'x'], ['name', 'ID'], ['y', '2']);
    await expect(readFileOf(makeWorkbook({ data }))).rejects.toThrow(
      /row 3 that is a second header, with names of that on row 1/,
    );
  });

  test('lose the spaces around their cells only where the definition says so', async () => {
    const content = makeWorkbook({ data: sheetOf(['id'], [' 1 ']) });
    expect(brief(await readFileOf(content))).toEqual([[1, 2, [' 1 ']]]);
    expect(brief(await readFileOf(content, { trim: true }))).toEqual([[1, 2, ['1']]]);
  });

  test('of a report file that was saved as a workbook lose the sign that guards against formulas', async () => {
    const data = sheetOf(['name', 'onboard_row'], ["'=1+1", '7'], ["''x", "8'"]);
    expect(brief(await readFileOf(makeWorkbook({ data })))).toEqual([
      [1, 2, ['=1+1', '7']],
      [2, 3, ["'x", "8'"]],
    ]);
  });

  test('of a report file that could not be read stay so in a workbook, until its cells are filled', async () => {
    const names = ['id', 'name', 'onboard_row', 'onboard_message', 'onboard_text'];
    const said = ['7', 'expected a readable row: bad', '1,x,y'];
    const data = sheetOf(names, [null, null, ...said], ['1', 'x', ...said]);
    const { rows } = await readFileOf(makeWorkbook({ data }));
    expect(rows).toMatchObject([
      { kind: 'unreadable', text: '1,x,y', problem: expect.stringMatching(/^"onboard_text" alone/) },
      { kind: 'cells', cells: ['1', 'x', ...said] },
    ]);
  });

  test('with merged cells below the header are unreadable, and merged titles do no harm', async () => {
    const data = sheetOf(['Title'], ['id', 'name'], ['1', 'x'], ['2', 'y'], [null, 'z'], ['4', 'w']);
    const after =
      '<mergeCells count="3"><mergeCell ref="A4:A5"/><mergeCell ref="A1:B1"/><mergeCell ref="D3:E3"/></mergeCells>';
    const problem = '! cells that are merged (A4:A5): expected a value in each cell; undo the merge';
    expect(brief(await readFileOf(makeWorkbook({ data, after }), { header: 2 }))).toEqual([
      [1, 3, ['1', 'x']],
      [2, 4, problem],
      [3, 5, problem],
      [4, 6, ['4', 'w']],
    ]);
  });

  /** Row 3, as LibreOffice hides it, and every fourth one; row 2 and those that are empty don't count. */
  const filtered = makeWorkbook({
    data: `${sheetOf(undefined, ['id'], ['a'])}${rowOf(4, [''], ' hidden="1"')}${Array.from(
      { length: 12_000 },
      (_, i) => rowOf(i + 5, [`k${i}`], i % 4 === 0 || i > 40 ? ' hidden="true"' : ''),
    ).join('')}${rowOf(12_005, ['z'])}`,
  });

  test('that a filter or somebody hid refuse the file, with their numbers and the setting', async () => {
    expect(await refusalOf(filtered)).toBe(
      'UsageError: file.xlsx: has 11,970 hidden or filtered rows (5, 9, 13, 17, 21 …) on its sheet "Sheet1": expected to be told what becomes of such rows; set format.hidden: send, or format.hidden: skip, or unhide them',
    );
    const one = makeWorkbook({ data: `${sheetOf(['id'])}${rowOf(2, ['1'], ' hidden="1"')}` });
    expect(await refusalOf(one)).toContain('has 1 hidden or filtered row (2) on');
  });

  test('that are hidden are left out or read, as format.hidden says, and a note says so', async () => {
    const skipped = await readFileOf(filtered, { hidden: 'skip' });
    expect(brief(skipped).slice(0, 3)).toEqual([
      [1, 3, ['a']],
      [2, 6, ['k1']],
      [3, 7, ['k2']],
    ]);
    expect(brief(skipped).at(-1)).toEqual([32, 12_005, ['z']]);
    expect(skipped.source.notes).toEqual([
      '11,970 hidden or filtered rows (5, 9, 13, 17, 21 …): left out, as format.hidden says',
    ]);
    const sent = await readFileOf(filtered, { hidden: 'send' });
    expect([sent.rows.length, brief(sent)[1]]).toEqual([12_002, [2, 5, ['k0']]]);
    expect(sent.source.notes).toEqual([expect.stringContaining('read like the others')]);
  });

  test('of which none is hidden need no setting, though columns, empty rows or those above the header are', async () => {
    const hidden = ' hidden="1"';
    const data = `${rowOf(1, ['Title'], hidden)}${rowOf(2, ['id', 'name'], hidden)}${rowOf(3, ['1', 'x'])}${rowOf(4, [null, ''], hidden)}`;
    const after = '<cols><col min="1" max="1" hidden="1"/></cols>';
    const reading = await readFileOf(makeWorkbook({ data, after }), { header: 2 });
    expect(brief(reading)).toEqual([[1, 3, ['1', 'x']]]);
    expect(reading.source.notes).toEqual(['hidden columns are read like the others']);
  });

  test('far below the others mean that something was forgotten there', async () => {
    const data = `${sheetOf(['id'], ['1'])}${rowOf(20_000, ['x'])}`;
    expect(await refusalOf(makeWorkbook({ data }))).toBe(
      'UsageError: file.xlsx: has 19997 empty rows above row 20000: expected one table; remove what stands below it, or the empty rows',
    );
  });

  test('that hold more than a record may are unreadable', async () => {
    const long = `<c t="s"><v>0</v></c>`.repeat(40);
    const header = Array.from({ length: 40 }, (_, i) => `<c t="str"><v>c${i}</v></c>`);
    const data = `<row>${header.join('')}</row><row>${long}</row><row><c t="str"><v>x</v></c></row>`;
    const { rows } = await readFileOf(makeWorkbook({ data, strings: [`<t>${'x'.repeat(32_767)}</t>`] }));
    expect(rows.map(({ kind }) => kind)).toEqual(['unreadable', 'cells']);
  });
});

describe('a report file that was saved as a workbook', () => {
  const header = ['name', 'sum', 'onboard_row', 'onboard_typed'];

  test('says which of its texts were typed', async () => {
    const told = typedText({ cells: ['x', '1.234'], typed: [1] }, header);
    const rows = [
      ['x', '1.234', '7', told],
      ['y', '2', '8'],
      ['z', '1,234', '9', told],
      ['u', '1234', '9', typedText({ cells: ['u', '1234'], typed: [1] }, header)],
    ];
    expect((await readFileOf(makeWorkbook({ data: sheetOf(header, ...rows) }))).rows).toEqual([
      { kind: 'cells', row: 1, line: 2, cells: ['x', '1.234', '7', told], typed: [1] },
      { kind: 'cells', row: 2, line: 3, cells: ['y', '2', '8', ''] },
      { kind: 'cells', row: 3, line: 4, cells: ['z', '1,234', '9', told] },
      { kind: 'cells', row: 4, line: 5, cells: ['u', '1234', '9', expect.any(String)] },
    ]);
  });

  test.each(['sum', '[]', '["sum"]', '{}', '{"sum":"1.234"}', '{"amount":"number:12345678"}'])(
    'with %s there, it is not known',
    async (typed) => {
      const { rows } = await readFileOf(makeWorkbook({ data: sheetOf(header, ['x', '1.234', '7', typed]) }));
      expect(rows.map(cellsOf)).toEqual([expect.stringContaining('column "onboard_typed": expected it as')]);
    },
  );
});

describe('of several sheets', () => {
  const sheets = ['name="Hidden" state="hidden"', 'name="First"', 'name="R&amp;D_x0020_2"'];
  const parts = Object.fromEntries(
    ['hidden', 'first', 'third'].map((id, i) => [
      `xl/worksheets/sheet${i + 1}.xml`,
      `<x:worksheet xmlns:x="main"><x:sheetData><x:row><x:c t="str"><x:v>${id}</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
    ]),
  );
  const content = makeWorkbook({ sheets, parts });

  test('the first that is visible is read, and a note names the others', async () => {
    expect((await readFileOf(content)).source).toMatchObject({
      sheet: 'First',
      columns: ['first'],
      notes: ['only the sheet "First" is read, not "Hidden", "R&D 2"'],
    });
  });

  test('where only another has a column that the job needs, that one is named', async () => {
    const read = (needed: string) => readFileOf(content, { isNeeded: (name) => name === needed });
    await expect(read('third')).rejects.toThrow(
      'has no column that the job needs on its sheet "First"; ' +
        'sheet "R&D 2" has them: set format.sheet: "R&D 2"',
    );
    for (const here of ['first', 'nowhere']) expect((await read(here)).source.sheet).toBe('First');
  });

  test.each([
    ['Hidden', 'hidden'],
    ['R&D 2', 'third'],
  ])('the one that format.sheet names is read: %s', async (sheet, column) => {
    expect((await readFileOf(content, { sheet })).source).toMatchObject({
      sheet,
      columns: [column],
      notes: [],
    });
  });

  test('a name that none has is refused with the names that there are', async () => {
    expect(await refusalOf(content, { sheet: 'first' })).toBe(
      'UsageError: file.xlsx: has no sheet named "first": expected one of "Hidden", "First", "R&D 2"; correct format.sheet, or leave it out for the first sheet',
    );
  });
});
