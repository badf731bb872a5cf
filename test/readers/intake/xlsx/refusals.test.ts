import { strToU8, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { cellsOf, makeWorkbook, partsOf, readFileOf, refusalOf, zipOf } from '../../../support/workbook.ts';
import { zip64Of } from '../../../support/zip64.ts';

const DATA = '<row><c t="str"><v>id</v></c></row><row><c t="str"><v>1</v></c></row>';
const SHEET = 'xl/worksheets/sheet1.xml';
const SAVE = 'expected an Excel workbook (.xlsx), CSV or JSON; save it as .xlsx or as CSV UTF-8';
const MEND = 'expected a whole .xlsx file; open it in Excel and save it again, or save it as CSV UTF-8';

/** The same with some of its bytes changed. */
function changed(content: Uint8Array, at: (bytes: Buffer) => number, value: readonly number[]): Uint8Array {
  const bytes = Buffer.from(content);
  bytes.set(value, at(bytes));
  return bytes;
}

/** Where the directory's entry of a part begins. */
function entryOf(part: string): (bytes: Buffer) => number {
  return (bytes) => bytes.lastIndexOf(part) - 46;
}

describe('what is no workbook is refused', () => {
  test.each([
    ['a binary workbook', ['xl/workbook.bin'], 'is a binary workbook (.xlsb)'],
    ['an OpenDocument file', ['mimetype', 'content.xml'], 'is an OpenDocument file (.ods)'],
    ['a Word document', ['word/document.xml'], 'is a Word document'],
    ['a Numbers document', ['Index/Document.iwa'], 'is a Numbers document'],
    ['an archive', ['payees.csv'], 'is a zip archive without a workbook'],
  ])('%s', async (_, names, what) => {
    const content = zipOf(Object.fromEntries(names.map((name) => [name, 'x'])));
    expect(await refusalOf(content)).toBe(`UsageError: file.xlsx: ${what}: ${SAVE}`);
  });

  test('a workbook with a password', async () => {
    const zipped = changed(makeWorkbook({ data: DATA }), (b) => entryOf(SHEET)(b) + 8, [1]);
    expect(await refusalOf(zipped)).toBe(
      'UsageError: file.xlsx: is encrypted: expected a workbook without a password; save it without one',
    );
  });

  test('text', async () => {
    expect(await refusalOf(strToU8('id,name\n1,x\n'))).toBe(
      `UsageError: file.xlsx: is a damaged workbook (its end is missing: it was cut off, or never written to its end): ${MEND}`,
    );
  });
});

describe('a damaged workbook is refused', () => {
  const whole = makeWorkbook({ data: DATA });
  const entryWith = (at: number, value: readonly number[]) =>
    changed(whole, (bytes) => entryOf(SHEET)(bytes) + at, value);
  const cells = (rows: string) => xml(`<a><sheetData>${rows}</sheetData></a>`);
  const xml = (sheet: string) => makeWorkbook({ parts: { [SHEET]: sheet } });

  test.each<[string, Uint8Array, string]>([
    ['cut off', whole.subarray(0, whole.length - 30), 'its end is missing'],
    ['with a bit flipped', changed(whole, (b) => b.indexOf(SHEET) + SHEET.length + 9, [0xff]), SHEET],
    ['with a false check sum', entryWith(16, [1, 2, 3, 4]), 'the content of its part'],
    ['larger than its directory says', entryWith(24, [9, 0, 0, 0]), 'the content of'],
    ['compressed otherwise', entryWith(10, [14]), 'in a way that no Excel reads'],
    ['with a part elsewhere', entryWith(42, [0xff, 0xff, 0xff, 0x0f]), 'not where'],
    ['without its sheet', makeWorkbook({ parts: { [SHEET]: null } }), `its part ${SHEET} is missing`],
    ['without a sheet', makeWorkbook({ sheets: [] }), 'it has no sheet with cells'],
    ['XML that ends early', xml('<worksheet><sheetData><row>'), 'not well-formed'],
    ['XML that is none', xml('id,name'), 'not well-formed'],
    ['XML with a doctype', xml('<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'), 'defines entities'],
    ['XML with an unknown entity', xml('<a><b>&nbsp;</b></a>'), 'not well-formed'],
    ['XML with a half character', xml('<a><b>&#xD800;</b></a>'), 'not well-formed'],
    ['XML with a control character', xml('<a><b>\u0001</b></a>'), 'not well-formed'],
    ['XML with an attribute twice', xml('<a b="1" b="2"/>'), 'not well-formed'],
    [
      'XML otherwise encoded',
      xml(`<?xml version="1.0" encoding="windows-1252"?><a/>`),
      'encoded as windows-1252',
    ],
    ['nested XML', xml('<a>'.repeat(100)), 'nested too deep'],
    ['rows out of order', cells('<row r="2"/><row r="1"/>'), 'rows are out of order'],
    ['too many rows', cells('<row r="1048577"/>'), 'more rows than a sheet can have'],
    ['cells elsewhere', cells('<row r="2"><c r="A1"/></row>'), 'belongs elsewhere'],
    ['a cell twice', cells('<row><c r="A1"/><c r="A1"/></row>'), 'belongs elsewhere'],
    ['a cell with two values', cells('<row><c r="A1"><v>1</v><v>2</v></c></row>'), 'a cell with two values'],
    ['odd merges', xml('<a><mergeCell ref="A0:B9"/></a>'), 'merges cells that do not exist'],
  ])('%s', async (_, content, what) => {
    const refusal = await refusalOf(content);
    expect(refusal).toMatch(
      /^UsageError: file\.xlsx: is a damaged workbook \(.*\): expected a whole \.xlsx file; /,
    );
    expect(refusal).toContain(what);
  });

  test('two parts of one name', async () => {
    const two = zipSync({ 'a/x.xml': strToU8('1'), 'A/x.xml': strToU8('2') });
    expect(await refusalOf(two)).toContain('two parts of one name');
  });

  test('cut off anywhere, it is refused and never read in part', async () => {
    for (let length = 0; length < whole.length; length += 97) {
      expect(await refusalOf(whole.subarray(0, length))).toMatch(/^UsageError/);
    }
  });
});

describe('a workbook that would not fit in memory is refused before it is expanded', () => {
  const GIGABYTE = [0, 0, 0, 0x41];

  test.each([
    ['a sheet', SHEET],
    ['shared texts', 'xl/sharedStrings.xml'],
  ])('%s', async (_, part) => {
    const content = changed(
      makeWorkbook({ data: DATA, strings: ['<t>x</t>'] }),
      (b) => entryOf(part)(b) + 24,
      GIGABYTE,
    );
    expect(await refusalOf(content)).toMatch(/^UsageError: file\.xlsx: is too large for a workbook \(/);
  });

  test('a text that never ends is given up early', async () => {
    const sheet = Buffer.concat([Buffer.from('<a><sheetData><row><c><v>'), Buffer.alloc(1_000_000, 'x')]);
    expect(await refusalOf(makeWorkbook({ parts: { [SHEET]: sheet } }))).toContain('longer than any cell');
  });
});

describe('a workbook that is unusual but right is read', () => {
  const parts = partsOf({ data: DATA });
  const sheet = String(parts[SHEET]);
  const plain = zipOf(parts);
  const named = (nameOf: (name: string) => string) =>
    zipOf(Object.fromEntries(Object.entries(parts).map(([name, part]) => [nameOf(name), part])));

  test.each<[string, Uint8Array]>([
    ['stored without compression', zipOf(parts, 0)],
    [
      'with a comment at its end',
      changed(Buffer.concat([plain, Buffer.from('PK')]), (b) => b.length - 4, [2]),
    ],
    ['with numbers in the fields of zip64', zip64Of(parts)],
    ['with backslashes in its names', named((name) => name.replaceAll('/', '\\'))],
    ['with a slash before its names', named((name) => `/${name}`)],
    ['with its names in capitals', named((name) => name.toUpperCase())],
    ['in UTF-16', zipOf({ ...parts, [SHEET]: Buffer.from(`\uFEFF${sheet}`, 'utf16le') })],
    ['with a byte order mark', zipOf({ ...parts, [SHEET]: `\uFEFF<?xml version="1.0"?><!-- c -->${sheet}` })],
    ['without styles', zipOf({ ...parts, 'xl/styles.xml': null })],
  ])('%s', async (_, content) => {
    const { source, rows } = await readFileOf(content);
    expect([source.columns, rows.map(cellsOf)]).toEqual([['id'], [['1']]]);
  });
});

describe('sheets without number or end', () => {
  test('a workbook of more sheets than are worth reading is refused before they are compared', async () => {
    const sheets = Array.from({ length: 2_001 }, (_, i) => `name="S${i}"`);
    expect(await refusalOf(makeWorkbook({ data: DATA, sheets }))).toContain(
      'is too large for a workbook (it has more than 2000 sheets or other parts)',
    );
  });

  test('many sheets with long names make no long note', async () => {
    const sheets = Array.from({ length: 1_000 }, (_, i) => `name="${'n'.repeat(5_000)}${i}"`);
    const content = makeWorkbook({ data: DATA, sheets });
    const { source } = await readFileOf(content);
    expect(source.notes.join().length).toBeLessThan(2_000);
    expect(source.notes.join()).toContain(', 979 more');
    expect((await refusalOf(content, { sheet: 'other' })).length).toBeLessThan(2_000);
  });
});
