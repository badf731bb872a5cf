import { spawnSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { formatSchema } from '../../../src/config/job-definition.ts';
import type { Row } from '../../../src/model/row.ts';
import { taggedRun } from '../../../src/readers/intake/origins.ts';
import { openRows } from '../../../src/readers/intake/rows.ts';
import { writeReply } from '../../../src/runs/report/reply-book.ts';
import { ownFolder } from '../../support/folder.ts';
import { cellsOf, readFileOf } from '../../support/workbook.ts';

const ODD = [
  ...['=1+1', '+49 30 1', '-5', '@x', "'quoted", "a;'b", '00123', '1.50', '2026-11-21', 'TRUE', '1E5'],
  ...[' before', 'behind ', 'a;b', 'a,b', 'a"b', '"', 'two\nlines', '_x0041_', '_x005F_', 'constructor'],
  ...['__proto__', '\uFFFD', '#REF!', '%', 'Zürich', '王', '😀', '<b>&amp;', '\u200b', 'x'.repeat(300), ''],
];
const cell = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ maxLength: 12 }).filter((text) => !/\p{Cc}/u.test(text)),
);
const table = fc.integer({ min: 1, max: 5 }).chain((width) =>
  fc.record({
    width: fc.constant(width),
    rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
  }),
);
type Table = { readonly width: number; readonly rows: readonly (readonly string[])[] };

const RUN = taggedRun('20261121-034512-k3f9', 'AbCdEf_-9012');
const CHANGED = 'to be changed';

/** A reply of such rows, whose first column is there to be changed. */
function bookOf({ width, rows }: Table): Promise<Buffer> {
  const columns = Array.from({ length: width }, (_, at) => `column ${at}`);
  return writeReply({
    sum: { sheet: 'Summary', lines: ['1 received.'] },
    rows: {
      sheet: 'To correct',
      columns: ['first', ...columns, 'onboard_To correct', 'onboard_run', 'onboard_row'],
      hiddenFrom: width + 2,
      rows: rows.map((cells, i) => ({
        cells: [CHANGED, ...cells, 'words', RUN, String(i + 1)],
        wrong: new Set([0, 1]),
      })),
    },
  });
}

const expected = ({ rows }: Table, first: string) =>
  rows.map((cells, i) => [first, ...cells, 'words', RUN, String(i + 1)]);

const FORMAT = { trim: false };

async function rowsIn(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of openRows(path, formatSchema.parse({ ...FORMAT, encoding: 'utf-8' })))
    rows.push(...batch.rows);
  return rows;
}

describe('reply.xlsx', () => {
  test('has every cell as it was, as a text, and hides what the rows are known by', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (one) => {
        const bytes = await bookOf(one);
        const { source, rows } = await readFileOf(new Uint8Array(bytes), FORMAT);
        expect(rows.map(cellsOf)).toEqual(expected(one, CHANGED));
        expect(rows.every((row) => row.kind === 'cells' && (row.typed ?? []).length === 0)).toBe(true);
        expect(source.sheet).toBe('To correct');
        const sheet = strFromU8(
          unzipSync(new Uint8Array(bytes))['xl/worksheets/sheet2.xml'] ?? new Uint8Array(),
        );
        expect(sheet).not.toMatch(/<f[ >]|<c [^>]*t="(?!s")/);
        expect([...sheet.matchAll(/<col [^>]*hidden="1"/g)]).toHaveLength(2);
      }),
      { numRuns: 100 },
    );
  });

  test('with more cells, or longer ones, than a workbook holds is refused', async () => {
    await expect(bookOf({ width: 1, rows: [['x'.repeat(32_768)]] })).rejects.toThrow('more than 32767 signs');
  });

  const TABLES = Number(process.env.REPLY_TABLES ?? '10');
  const isThere = spawnSync('soffice', ['--version']).status === 0;

  test.skipIf(!isThere)(
    'comes back from LibreOffice, one cell of a row changed, with all others the same, as a workbook and as CSV',
    { timeout: 600_000 },
    async () => {
      const folder = await ownFolder();
      const tables = fc.sample(table, TABLES);
      for (const [i, one] of tables.entries()) {
        const parts = unzipSync(new Uint8Array(await bookOf(one)));
        const name = 'xl/sharedStrings.xml';
        const strings = strFromU8(parts[name] ?? new Uint8Array()).replace(`>${CHANGED}<`, '>changed<');
        await writeFile(join(folder, `${i}.xlsx`), zipSync({ ...parts, [name]: strToU8(strings) }));
      }
      const files = tables.map((_, i) => join(folder, `${i}.xlsx`));
      const home = `-env:UserInstallation=file://${folder}/profile`;
      const convert = (to: string, out: string) => {
        const args = [home, '--headless', '--convert-to', to, '--outdir', join(folder, out), ...files];
        expect(spawnSync('soffice', args, { encoding: 'utf8' }).status).toBe(0);
      };
      convert('xlsx', 'as-xlsx');
      // UTF-8, cells as they are shown, the second sheet.
      convert('csv:Text - txt - csv (StarCalc):59,34,76,1,,0,false,true,false,false,false,2', 'as-csv');
      const csvs = await readdir(join(folder, 'as-csv'));
      for (const [i, one] of tables.entries()) {
        const { rows } = await readFileOf(
          new Uint8Array(await readFile(join(folder, 'as-xlsx', `${i}.xlsx`))),
          FORMAT,
        );
        expect(rows.map(cellsOf), `${i}.xlsx`).toEqual(expected(one, 'changed'));
        const csv = csvs.find((name) => name.startsWith(`${i}-`)) ?? '';
        const read = await rowsIn(join(folder, 'as-csv', csv));
        expect(read.map(cellsOf), csv).toEqual(expected(one, 'changed'));
      }
    },
  );
});
