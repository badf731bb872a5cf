import { expect, test } from 'vitest';
import { formatSchema } from '../../src/config/job-definition.ts';
import type { FileHead } from '../../src/intake/file-head.ts';
import { understand } from '../../src/intake/understand.ts';

const FORMAT = formatSchema.parse({ header: 3, comment: '#' });

function rowsOf(text: string) {
  const head: FileHead = { bom: false, text, whole: true };
  const { source, feed, start } = understand('failed.csv', head, FORMAT);
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
