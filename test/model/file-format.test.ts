import { expect, test } from 'vitest';
import { dataEnding, formatNamed } from '../../src/model/file-format.ts';

test.each([
  ['a.csv', 'csv', '.csv'],
  ['a.TSV', 'csv', '.TSV'],
  ['a.txt', null, '.txt'],
  ['a.json.gz', 'json', '.json.gz'],
  ['a.jsonl', 'ndjson', '.jsonl'],
  ['a.b.xlsx', 'xlsx', '.xlsx'],
  ['a.gz', null, '.gz'],
  ['csv', null, ''],
])('%s is of the format %s, with the ending "%s"', (name, format, ending) => {
  expect([formatNamed(name), dataEnding(name)]).toEqual([format, ending]);
});
