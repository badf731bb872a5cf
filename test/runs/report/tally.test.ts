import { describe, expect, it } from 'vitest';
import { createTally } from '../../../src/runs/report/tally.ts';
import { digestOf, settled } from './make-report.ts';

describe('a tally', () => {
  it('given issues of several columns, counts each row by its first and each issue by its own', () => {
    const tally = createTally();
    const iban = (column: string, expected = 'an IBAN') =>
      ({ code: 'iban_invalid', column, expected }) as const;
    const add = (row: number, ...issues: ReadonlyArray<ReturnType<typeof iban>>) =>
      tally.add(settled(row, 'invalid', { code: 'iban_invalid', issues }));
    add(1, iban('IBAN'));
    add(2, iban('IBAN 2'), iban('IBAN'));
    add(3, iban('IBAN', 'an IBAN of 22 characters'));
    expect(tally.errors().map(({ column, count, exampleRow }) => [column, count, exampleRow])).toEqual([
      ['IBAN', 2, 1],
      ['IBAN 2', 1, 2],
    ]);
    expect(tally.issues().map(({ column, count }) => [column, count])).toEqual([
      ['IBAN', 3],
      ['IBAN 2', 1],
    ]);
  });

  it('given warnings, counts each cell by code and column whatever became of the row, commonest first', () => {
    const tally = createTally();
    const iban = { code: 'iban_invalid', column: 'IBAN' };
    tally.add(settled(2, 'created', { warnings: [{ code: 'mojibake', column: 'Name' }] }));
    tally.add(settled(3, 'created'));
    tally.add(settled(5, 'rejected', { warnings: [iban] }));
    tally.add(settled(6, 'created', { warnings: [iban] }));
    expect(tally.warnings()).toMatchObject([
      { ...iban, count: 2, exampleRow: 5 },
      { code: 'mojibake', count: 1 },
    ]);
  });

  it('given endless different codes, still counts the early ones and stays bounded', () => {
    const tally = createTally();
    for (let row = 1; row <= 5000; row += 1) tally.add(settled(row, 'failed', { code: `c${row}` }));
    tally.add(settled(5001, 'failed', { code: 'c1' }));
    tally.add(settled(5002, 'failed', { code: 'c4000' }));
    tally.add(settled(5003, 'failed', { code: 'c4000' }));
    expect(tally.errors()[0]).toMatchObject({ code: 'c1', count: 2 });
    expect(tally.errors().map(({ code }) => code)).not.toContain('c4000');
    expect(tally.outcomes().failed).toBe(5003);
  });
});

describe('a digest', () => {
  it('given rows of one key that follow each other under one id, counts them as one record', () => {
    const row = (n: number, key: string, id: string, outcome: 'drafted' | 'invalid' = 'drafted') =>
      settled(n, outcome, { key, id });
    const rows = [row(1, 'a', '1'), row(2, 'a', '1'), row(3, 'b', '2'), row(4, 'a', '', 'invalid')];
    const { records, outcomes } = digestOf([...rows, row(5, 'b', '2'), row(6, '', '3'), row(7, '', '3')]);
    expect([records, outcomes.drafted]).toEqual([5, 6]);
  });

  it.each([3, 4])('given row %i after row 4, is refused: the ledger has a defect', (row) => {
    expect(() => digestOf([settled(4, 'created'), settled(row, 'created')])).toThrow(
      `row ${row} after row 4`,
    );
  });
});
