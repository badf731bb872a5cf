import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { brief, readText } from '../read-text.ts';

const FOLDER = dirname(createRequire(import.meta.url).resolve('csv-spectrum'));
const NAMES = readdirSync(join(FOLDER, 'csvs')).map((file) => file.replace('.csv', ''));
/** Its cell has quotes that are neither around it nor doubled (RFC 4180, 2.5), and its JSON has another phone number than its CSV. */
const DEFECTIVE = 'location_coordinates';

async function read(name: string) {
  return readText(readFileSync(join(FOLDER, 'csvs', `${name}.csv`)), { path: `${name}.csv` });
}

test.each(NAMES.filter((name) => name !== DEFECTIVE))(
  '%s of csv-spectrum is read as its JSON says',
  async (name) => {
    const { source, rows } = await read(name);
    const records = rows.map((row) =>
      Object.fromEntries(
        (source?.columns ?? []).map((column, i) => [column, row.kind === 'cells' ? row.cells[i] : row]),
      ),
    );
    expect(records).toEqual(JSON.parse(readFileSync(join(FOLDER, 'json', `${name}.json`), 'utf8')));
  },
);

test('csv-spectrum has twelve files, and the one with stray quotes is refused with row, line and cell', async () => {
  expect(NAMES.length).toBe(12);
  const { rows } = await read(DEFECTIVE);
  expect(rows.map(brief)).toEqual([
    '2: ! a quote in the middle of a cell: expected quotes only around a whole cell, and doubled inside it (cell 2)',
  ]);
});

test('the refused file of csv-spectrum, once its quotes are written as they should be, is read as it stands', async () => {
  const text = readFileSync(join(FOLDER, 'csvs', `${DEFECTIVE}.csv`), 'utf8');
  const [, cell = ''] = text.split('\n')[1]?.split(',') ?? [];
  const mended = text.replace(cell, () => `"${cell.replaceAll('"', '""')}"`);
  const { rows } = await readText(mended);
  expect(rows).toEqual([
    { kind: 'cells', row: 1, line: 2, cells: ['2095257564', cell, 'Modesto', 'Stanislaus'] },
  ]);
});
