import { describe, expect, it } from 'vitest';
import { createTally } from '../../src/report/tally.ts';
import { settled } from './make-report.ts';

const newTally = () => createTally({ operation: 'subclient.create', extension: 'csv' });

describe('createTally', () => {
  it('given settlements, counts every outcome and ranks the reasons of those that did not succeed', () => {
    const tally = newTally();
    tally.add(settled(1, 'created', { code: 'warned' }));
    tally.add(settled(2, 'invalid', { code: 'empty_key' }));
    tally.add(settled(3, 'rejected', { code: 'http_418' }));
    tally.add(settled(5, 'rejected', { code: 'http_418' }));
    tally.add(settled(6, 'cancelled'));
    expect(tally.outcomes()).toMatchObject({ created: 1, invalid: 1, rejected: 2, cancelled: 1, failed: 0 });
    expect(tally.topErrors()).toEqual([
      {
        outcome: 'rejected',
        code: 'http_418',
        count: 2,
        exampleRow: 3,
        advice: expect.stringContaining('rejected.csv'),
      },
      {
        outcome: 'invalid',
        code: 'empty_key',
        count: 1,
        exampleRow: 2,
        advice: expect.stringContaining('key'),
      },
    ]);
  });

  it('given rows of one key that follow each other under one id, counts them as one record', () => {
    const tally = newTally();
    const add = (row: number, key: string, id: string, outcome: 'drafted' | 'invalid' = 'drafted') =>
      tally.add(settled(row, outcome, { key, id }));
    add(1, 'a', '1');
    add(2, 'a', '1');
    add(3, 'b', '2');
    add(4, 'a', '', 'invalid');
    add(5, 'b', '2');
    add(6, '', '3');
    add(7, '', '3');
    expect([tally.records(), tally.outcomes().drafted]).toEqual([5, 6]);
  });

  it('given issues of several columns, counts each cause by its column, and what is about none apart', () => {
    const tally = newTally();
    const add = (row: number, code: string, message: string) =>
      tally.add(settled(row, 'invalid', { code, message }));
    add(1, 'iban_invalid', 'column "IBAN": expected an IBAN');
    add(2, 'iban_invalid', 'column "IBAN 2": expected an IBAN; column "IBAN": expected an IBAN');
    add(3, 'iban_invalid', 'column "IBAN": expected an IBAN of 22 characters');
    add(4, 'unreadable_row', 'expected a readable row');
    expect(tally.topErrors()).toMatchObject([
      { code: 'iban_invalid', column: 'IBAN', count: 2, exampleRow: 1 },
      { code: 'iban_invalid', column: 'IBAN 2', count: 1, exampleRow: 2 },
      { code: 'unreadable_row', count: 1, exampleRow: 4 },
    ]);
  });

  it('given warnings, counts each cell by code and column whatever became of the row, commonest first', () => {
    const tally = newTally();
    tally.add(settled(2, 'created', { warnings: 'mojibake:Name' }));
    tally.add(settled(3, 'created'));
    tally.add(settled(5, 'rejected', { warnings: 'iban_invalid:IBAN' }));
    tally.add(settled(6, 'created', { warnings: 'iban_invalid:IBAN' }));
    expect(tally.topWarnings()).toEqual([
      { code: 'iban_invalid', column: 'IBAN', count: 2, exampleRow: 5 },
      { code: 'mojibake', column: 'Name', count: 1, exampleRow: 2 },
    ]);
  });

  it('given more than ten reasons, gives the ten commonest', () => {
    const tally = newTally();
    for (let row = 1; row <= 40; row += 1) tally.add(settled(row, 'failed', { code: `c${row % 13}` }));
    const top = tally.topErrors();
    expect(top).toHaveLength(10);
    expect(top[0]).toMatchObject({ code: 'c1', count: 4, exampleRow: 1 });
  });

  it('given endless different codes, still counts the early ones and stays bounded', () => {
    const tally = newTally();
    for (let row = 1; row <= 5000; row += 1) tally.add(settled(row, 'failed', { code: `c${row}` }));
    tally.add(settled(5001, 'failed', { code: 'c1' }));
    tally.add(settled(5002, 'failed', { code: 'c4000' }));
    tally.add(settled(5003, 'failed', { code: 'c4000' }));
    expect(tally.topErrors()[0]).toMatchObject({ code: 'c1', count: 2 });
    expect(tally.topErrors().map(({ code }) => code)).not.toContain('c4000');
    expect(tally.outcomes().failed).toBe(5003);
  });

  it.each([3, 4])('given row %i after row 4, throws: the ledger has a defect', (row) => {
    const tally = newTally();
    tally.add(settled(4, 'created'));
    expect(() => tally.add(settled(row, 'created'))).toThrow(`row ${row} after row 4`);
  });
});
