import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { renderRuns } from '../../scripts/demo/render-runs.mjs';

let reports = '';
beforeEach(() => {
  reports = mkdtempSync(join(tmpdir(), 'onboard-reports-'));
});
afterEach(() => rmSync(reports, { recursive: true, force: true }));

function putSummary(name: string, startedAt: string, outcomes: Readonly<Record<string, number>>): void {
  mkdirSync(join(reports, name));
  const summary = {
    job: `job-${name}`,
    file: `/somewhere/${name}.csv`,
    rows: 7,
    exitCode: 1,
    startedAt,
    outcomes,
  };
  writeFileSync(join(reports, name, 'summary.json'), JSON.stringify(summary));
}

describe('the table of runs', () => {
  test('has the oldest run first, with its control total, its exit status and its place', () => {
    putSummary('a', '2026-01-01T10:00:05.000Z', { created: 7, updated: 0 });
    putSummary('b', '2026-01-01T10:00:00.000Z', { created: 4, invalid: 3 });
    expect(renderRuns(reports, (path) => basename(path)).split('\n')).toEqual([
      '  job    file   rows  outcomes                 exit',
      '  job-b  b.csv  7     = 4 created + 3 invalid  1',
      '  job-a  a.csv  7     = 7 created              1',
      '',
      'Reports',
      '',
      '  b',
      '  a',
    ]);
  });

  test('says where it looked when there is no run', () => {
    expect(renderRuns(join(reports, 'none'), (path) => basename(path))).toContain('none');
  });
});
