import { describe, expect, test } from 'vitest';
import type { Row } from '../../../../src/model/row.ts';
import { cellsOf, type Making, makeWorkbook, readFileOf } from '../../../support/workbook.ts';

/** The only row of a sheet with the header A to E and these cells below; addresses are left to the reader. */
async function readCells(cells: string, making: Making = {}): Promise<Row | undefined> {
  const header = ['A', 'B', 'C', 'D', 'E'].map((name) => `<c t="inlineStr"><is><t>${name}</t></is></c>`);
  const data = `<row>${header.join('')}</row><row>${cells}</row>`;
  const { rows } = await readFileOf(makeWorkbook({ ...making, data }));
  return rows[0];
}

/** The first cell of a row, or `!` and what is wrong with the row. */
async function readCell(cell: string, making: Making = {}): Promise<string | undefined> {
  const row = await readCells(cell, making);
  if (row === undefined) return undefined;
  const cells = cellsOf(row);
  return typeof cells === 'string' ? cells : cells[0];
}

describe('a number is written in plain notation, digit by digit as in the file', () => {
  test.each([
    ['12', '12'],
    ['1.5E3', '1500'],
    ['1.5e+3', '1500'],
    ['1E+21', '1000000000000000000000'],
    ['1.2345678901234567E+19', '12345678901234567000'],
    ['12345678901234567890', '12345678901234567890'],
    ['-2.5E-7', '-0.00000025'],
    ['1.50E1', '15'],
    ['0E5', '0'],
    ['-0', '-0'],
    ['+7', '7'],
    ['.5', '0.5'],
    ['007', '007'],
    [' 12 ', '12'],
    ['123456789.123456789', '123456789.123456789'],
  ])('%s → %s', async (raw, text) => {
    expect(await readCells(`<c><v>${raw}</v></c>`)).toMatchObject({
      kind: 'cells',
      cells: [text, '', '', '', ''],
      typed: [0],
    });
  });

  test.each([
    ['1.1000000000000001', '1.1'],
    ['1234.5599999999999', '1234.56'],
    ['1.0000000000000001E-5', '0.00001'],
    ['0.30000000000000004', '0.30000000000000004'],
    ['33.333333333333336', '33.333333333333336'],
    ['0.12345678901234568901', '0.12345678901234568901'],
  ])('%s, where it only spells out the digits of a double, is %s', async (raw, text) => {
    expect(await readCell(`<c><v>${raw}</v></c>`)).toBe(text);
  });

  test.each(['1,5', 'INF', 'NaN', '1E999', '0x10', '1 000', '-', '9'.repeat(401)])(
    '%.20s is no number, so its row is unreadable',
    async (raw) => {
      expect(await readCell(`<c><v>${raw}</v></c>`)).toBe(
        '! column "A": a number that is none: expected digits',
      );
    },
  );

  test.each(['#,##0.00 "days"', '[Red]0.00', '_-* #,##0.00\\ "€"_-', '@', 'General', '0\\d'])(
    'the format %s makes no date of it',
    async (format) => {
      expect(await readCells('<c s="1"><v>43921</v></c>', { formats: [format] })).toMatchObject({
        cells: ['43921', '', '', '', ''],
        typed: [0],
      });
    },
  );
});

test.each([
  ['17', '00000', '00017'],
  ['123456', '00000', '123456'],
  ['1234567', '000\\-00\\-0000', '001234567'],
  ['17', '00000;-00000', '00017'],
  ['17', '0', '17'],
  ['17', '"00"0', '17'],
  ['17', '#,##0', '17'],
  ['17', '0,000', '17'],
  ['17', '000.00', '17'],
  ['17', '00%', '17'],
  ['1.5', '00000', '1.5'],
  ['-17', '00000', '-17'],
])('%s in the format %s is %s', async (raw, format, text) => {
  const row = await readCells(`<c s="1"><v>${raw}</v></c>`, { formats: [format] });
  expect(row).toMatchObject({ cells: [text, '', '', '', ''], typed: [0] });
});

describe('a number with a date format is a date in ISO 8601, and no number', () => {
  test.each([
    ['43921', 'yyyy-mm-dd', '2020-03-31'],
    ['43921', 'dd/mm/yyyy;@', '2020-03-31'],
    ['43921', '[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', '2020-03-31'],
    ['43921.395833333336', 'yyyy-mm-dd', '2020-03-31T09:30:00'],
    ['43921.395833333336', 'h:mm', '2020-03-31T09:30:00'],
    ['43921.39600695602', 'yyyy-mm-dd hh:mm:ss.000', '2020-03-31T09:30:15.001'],
    ['43921.99999999999', 'yyyy-mm-dd hh:mm', '2020-04-01'],
    ['4.3921E4', 'yyyy-mm-dd', '2020-03-31'],
    ['0.39583333333333331', 'h:mm AM/PM', '09:30:00'],
    ['61', 'yyyy-mm-dd', '1900-03-01'],
    ['2958465', 'yyyy-mm-dd', '9999-12-31'],
  ])('%s as %s → %s', async (serial, format, text) => {
    const row = await readCells(`<c s="1"><v>${serial}</v></c>`, { formats: [format] });
    expect(row).toEqual({ kind: 'cells', row: 1, line: 2, cells: [text, '', '', '', ''], typed: [0] });
  });

  test.each([
    ['14', '2020-03-31'],
    ['22', '2020-03-31'],
    ['57', '2020-03-31'],
  ])('the built-in format %s is one', async (format, text) => {
    const styles = `<styleSheet><cellXfs><xf/><xf numFmtId="${format}"/></cellXfs></styleSheet>`;
    expect(await readCell('<c s="1"><v>43921</v></c>', { parts: { 'xl/styles.xml': styles } })).toBe(text);
  });

  test('in a workbook that counts from 1904, the same number is four years later', async () => {
    const making = { formats: ['yyyy-mm-dd'], settings: '<workbookPr date1904="1"/>' };
    expect(await readCell('<c s="1"><v>42459</v></c>', making)).toBe('2020-03-31');
    expect(await readCell('<c s="1"><v>0</v></c>', making)).toBe('1904-01-01');
  });

  test.each([
    ['59', 'yyyy-mm-dd', 'a date before 1 March 1900, which programs count differently: expected it as text'],
    ['0', 'yyyy-mm-dd', 'a date before 1 March 1900, which programs count differently: expected it as text'],
    ['-1', 'h:mm', 'a date before 1 March 1900, which programs count differently: expected it as text'],
    ['2958466', 'yyyy-mm-dd', 'a date after the year 9999: expected a real date'],
    ['1.5', '[h]:mm', 'a duration: expected it as text, or as a plain number'],
  ])('%s as %s has none, so its row is unreadable', async (serial, format, problem) => {
    expect(await readCell(`<c s="1"><v>${serial}</v></c>`, { formats: [format] })).toBe(
      `! column "A": ${problem}`,
    );
  });

  test.each([
    ['2020-03-31', '2020-03-31'],
    ['2020-03-31T00:00:00', '2020-03-31'],
    ['2020-03-31T09:30:00.000Z', '2020-03-31T09:30:00.000Z'],
    ['31.3.2020', '! column "A": a date that is not written as ISO 8601: expected a real date'],
  ])('a cell of the type of dates, %s, is taken as written', async (value, text) => {
    expect(await readCell(`<c t="d"><v>${value}</v></c>`)).toBe(text);
  });
});

const NOT_WHOLE = 'a text that the workbook does not hold whole: expected at most 32767 characters';

describe('text is taken as it stands', () => {
  test.each([
    ['<c t="s"><v>0</v></c>', ' 00123 '],
    ['<c t="s"><v>1</v></c>', 'bold and not'],
    ['<c t="s"><v>2</v></c>', '課'],
    ['<c t="s"><v>3</v></c>', 'a\r\nb_x000D_ 😀 & <c>'],
    ['<c t="s"><v>4</v></c>', 'a\nb\nc'],
    ['<c t="s"><v>5</v></c>', ''],
    ['<c t="inlineStr"><is><r><t>00</t></r><r><t>7</t></r></is></c>', '007'],
    ['<c t="inlineStr"><is><t><![CDATA[a & b]]> c</t><rPh sb="0" eb="1"><t>x</t></rPh></is></c>', 'a & b c'],
    ['<c t="str"><v>007</v></c>', '007'],
    ['<c t="n" s="0"/>', ''],
  ])('%s', async (cell, text) => {
    const strings = [
      '<t xml:space="preserve"> 00123 </t>',
      '<r><t>bold </t></r><r><rPr><b/></rPr><t xml:space="preserve">and not</t></r>',
      '<t>課</t><rPh sb="0" eb="1"><t>カ</t></rPh><phoneticPr fontId="1"/>',
      '<t>a_x000D_\nb_x005F_x000D_ &#x1F600; &amp; &lt;c&gt;</t>',
      '<t>a\r\nb\rc</t>',
      '<t/>',
    ];
    // A value behind it, so that a row whose first cell is empty is not the sheet's end.
    const row = await readCells(`${cell}<c t="str"><v>end</v></c>`, { strings });
    expect(row).toEqual({ kind: 'cells', row: 1, line: 2, cells: [text, 'end', '', '', ''] });
  });

  test.each([
    ['1', 'true'],
    ['0', 'false'],
    ['true', 'true'],
  ])('the boolean %s is %s', async (value, text) => {
    expect(await readCells(`<c t="b"><v>${value}</v></c>`)).toMatchObject({
      cells: [text, '', '', '', ''],
      typed: [0],
    });
  });

  test.each([
    ['<c t="s"><v>9</v></c>', NOT_WHOLE],
    ['<c t="str"><v>_xD83D_</v></c>', NOT_WHOLE],
    ['<c t="b"><v>yes</v></c>', 'a boolean that is none'],
    ['<c t="z"><v>1</v></c>', 'a cell of a kind that Excel does not know: expected text, a number or a date'],
    ['<c s="7"><v>1</v></c>', 'a format that the workbook does not define'],
    ['<c t="e"><v>#N/A</v></c>', 'the error #N/A: expected a value; correct the formula'],
    ['<c t="e"><f>1/0</f><v>#DIV/0!</v></c>', 'the error #DIV/0!: expected a value; correct the formula'],
    ['<c t="e"><v>Smith</v></c>', 'the error of a formula: expected a value; correct the formula'],
  ])('%s makes its row unreadable', async (cell, problem) => {
    expect(await readCell(cell)).toBe(`! column "A": ${problem}`);
  });
});

test.each([
  [32_767, 'x'.repeat(32_767)],
  [32_768, `! column "A": ${NOT_WHOLE}`],
])('a text of %i characters is read only if a workbook can hold it', async (length, text) => {
  const escaped = '_x0078_'.repeat(length);
  expect(await readCell(`<c t="inlineStr"><is><t>${escaped}</t></is></c>`)).toBe(text);
  expect(await readCell('<c t="s"><v>0</v></c>', { strings: [`<t>${escaped}</t>`] })).toBe(text);
});

describe('a formula stands for its calculated result', () => {
  const none =
    '! column "A": a formula without a calculated result: expected a value; open the workbook in Excel and save it, or paste the values';

  test.each([
    ['<c t="str"><f>A1&amp;B1</f><v>007</v></c>', '007'],
    ['<c><f>1+1</f><v>2</v></c>', '2'],
    ['<c><f>1+1</f></c>', none],
    ['<c><f>1+1</f><v></v></c>', none],
    ['<c t="str"><f>A1</f></c>', none],
  ])('%s', async (cell, text) => {
    expect(await readCell(cell)).toBe(text);
  });

  test('an empty text is a result', async () => {
    const row = await readCells('<c t="str"><f>A1</f><v></v></c><c><v>1</v></c>');
    expect(row).toMatchObject({ cells: ['', '1', '', '', ''] });
  });

  test('a program that says it did not calculate wrote placeholders', async () => {
    const settings = '<calcPr calcId="124519" fullCalcOnLoad="1"/>';
    expect(await readCell('<c><f>1+1</f><v>0</v></c>', { settings })).toBe(none);
    expect(await readCell('<c><v>0</v></c>', { settings })).toBe('0');
  });
});
