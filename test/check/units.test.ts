import { expect, test } from 'vitest';
import { createSeenKeys, createUnitReader } from '../../src/check/units.ts';
import type { Mapping } from '../../src/model/mapping.ts';
import type { Row } from '../../src/model/row.ts';

/** The key, and an account. */
const MAPPING: Mapping = {
  hasKey: true,
  keyOf: (row) => (row.kind === 'cells' && row.cells[0] !== '' ? (row.cells[0] ?? null) : null),
  map(row) {
    const [key = '', account = ''] = row.kind === 'cells' ? row.cells : [];
    if (key !== '') {
      const body = { accounts: [{ accountNumber: account }] };
      return { kind: 'mapped', body, pathId: null, warnings: [], references: [] };
    }
    const issue = { row: row.row, line: row.line, column: 'Key', value: '', expected: 'a key' } as const;
    return { kind: 'issues', issues: [{ ...issue, code: 'empty_key' }] };
  },
};

function unitsOf(keys: readonly string[], batch: number) {
  const definition = { key: 'Key', group: 'accounts' };
  const reader = createUnitReader({ mapping: MAPPING, definition, seen: createSeenKeys() });
  const rows: Row[] = keys.map((key, i) => ({
    kind: 'cells',
    row: i + 1,
    line: i + 2,
    cells: [key, `A${i}`],
  }));
  const units = [];
  for (let at = 0; at < rows.length; at += batch) units.push(...reader.take(rows.slice(at, at + batch)));
  return [...units, ...reader.end()].map(({ rows: own, mapped }) => [
    own.map(({ row }) => row),
    mapped.kind === 'mapped' ? 'sent' : mapped.issues.map(({ code }) => code),
  ]);
}

test.each([1, 2, 100])('rows of one key are one request, however they are read (%i at a time)', (batch) => {
  expect(unitsOf(['a', 'a', 'b', 'c', 'c', 'a'], batch)).toEqual([
    [[1, 2], 'sent'],
    [[3], 'sent'],
    [[4, 5], 'sent'],
    [[6], ['duplicate_key']],
  ]);
});

test.each([1, 2, 100])(
  'rows of one key are not sent where a row beside them has no key (%i at a time)',
  (batch) => {
    expect(unitsOf(['a', 'a', '', 'b', 'c'], batch)).toEqual([
      [
        [1, 2],
        ['group_member', 'group_member'],
      ],
      [[3], ['empty_key']],
      [[4], ['group_member']],
      [[5], 'sent'],
    ]);
  },
);
