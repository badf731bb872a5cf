import { expect, test } from 'vitest';
import { cells, compileCsv, compileJson, record } from './catalog.ts';

const COLUMNS = ['name', 'onboard_run', 'onboard_row', 'onboard_outcome', 'onboard_status', 'onboard_code'];

test.each([
  ['its outcome is in doubt', 'in-doubt', 'timeout'],
  // The report of a run that was given such a report says invalid.
  ['it was in doubt when its report was loaded before', 'invalid', 'row_in_doubt'],
])('a row is not sent from a report file where %s', (_, outcome, code) => {
  const mapping = compileCsv(COLUMNS);
  expect(mapping.map(cells('N', 'r', '1', outcome, '', code))).toMatchObject({
    kind: 'issues',
    issues: [{ code: 'row_in_doubt' }],
  });
  const mark = { run: 'r', row: 1, outcome, code };
  const json = compileJson(['name']);
  expect(json.map(record({ name: 'N', _onboard: mark }))).toMatchObject({
    kind: 'issues',
    issues: [{ code: 'row_in_doubt' }],
  });
});

test('another row of a report file is sent', () => {
  const mapping = compileCsv(COLUMNS);
  expect(mapping.map(cells('N', 'r', '1', 'invalid', '', 'empty_key')).kind).toBe('mapped');
});
