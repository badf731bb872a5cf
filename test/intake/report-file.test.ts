import { expect, test } from 'vitest';
import { formatSchema } from '../../src/config/job-definition.ts';
import type { FileHead } from '../../src/intake/row-feed.ts';
import { understand } from '../../src/intake/rows.ts';

const FORMAT = formatSchema.parse({ header: 3, comment: '#' });

function rowsOf(text: string, format = FORMAT) {
  const head: FileHead = { bom: false, text, whole: true };
  const { source, feed, start } = understand('failed.csv', head, format);
  return { headerLine: source.headerLine, rows: [...feed(text.slice(start), false), ...feed('', true)] };
}

test('a report has no title lines and no comments, whatever its job says of the first file', () => {
  const { headerLine, rows } = rowsOf('id,onboard_row\n#1,1\n2,2\n3,3\n');
  expect(headerLine).toBe(1);
  expect(rows.map((row) => (row.kind === 'cells' ? row.cells[0] : ''))).toEqual(['#1', '2', '3']);
});

test('another file has them', () => {
  const { headerLine, rows } = rowsOf('A title\n\nid,name\n#1,1\n2,2\n');
  expect([headerLine, rows.length]).toEqual([3, 1]);
});

test.each([
  ['whose job reads workbooks', { type: 'xlsx' }],
  ['whose job names another delimiter than it was written with', { delimiter: ';' }],
] as const)('a report %s is read as it was written', (_, format) => {
  const { rows } = rowsOf('id,onboard_run,onboard_row\n1,r,1\n', formatSchema.parse(format));
  expect(rows.map((row) => (row.kind === 'cells' ? row.cells : []))).toEqual([['1', 'r', '1']]);
});

test('a report keeps the delimiter that it was written with', () => {
  const { rows } = rowsOf('a;onboard_run;onboard_row\n1,5;r;1\n', formatSchema.parse({ delimiter: ';' }));
  expect(rows.map((row) => (row.kind === 'cells' ? row.cells : []))).toEqual([['1,5', 'r', '1']]);
});

test('a CSV file that is no report is refused where the job reads workbooks', () => {
  expect(() => rowsOf('a,b\n1,2\n', formatSchema.parse({ type: 'xlsx' }))).toThrow(/is no Excel workbook/);
});
