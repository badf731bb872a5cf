import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { correctRows } from '../../scripts/demo/correct-rows.mjs';

let reports = '';
beforeEach(() => {
  reports = mkdtempSync(join(tmpdir(), 'onboard-reports-'));
});
afterEach(() => rmSync(reports, { recursive: true, force: true }));

function putReport(name: string, job: string, failed: string): void {
  mkdirSync(join(reports, name));
  writeFileSync(join(reports, name, 'summary.json'), JSON.stringify({ job }));
  writeFileSync(join(reports, name, 'failed.csv'), failed);
}

describe('the rows that the demo corrects', () => {
  test('are those of the newest run of that job, by their row number; all else stays', () => {
    putReport('1', 'kunden', 'Firma;onboard_row\nold;4\n');
    putReport('2', 'kunden', '\uFEFFFirma;Ort;onboard_row\n"";"A; B";4\nX;C;9\n');
    putReport('3', 'other', 'Firma;onboard_row\nother;4\n');
    expect(correctRows(reports, 'kunden', [{ row: 4, column: 'Firma', value: 'Weaver; Co' }])).toBe(
      'Firma;Ort;onboard_row\n"Weaver; Co";"A; B";4\nX;C;9\n',
    );
  });

  test('are none where the run has no such file', () => {
    expect(correctRows(reports, 'kunden', [])).toBeNull();
  });

  test('are refused where a row or column to correct is not there', () => {
    putReport('1', 'kunden', 'Firma;onboard_row\nX;4\n');
    expect(() => correctRows(reports, 'kunden', [{ row: 5, column: 'Firma', value: '' }])).toThrow(
      'no row 5',
    );
  });
});
