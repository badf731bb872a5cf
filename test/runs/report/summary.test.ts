import { describe, expect, it } from 'vitest';
import type { Digest } from '../../../src/runs/report/digest.ts';
import { summarize, summarySchema, withWritten } from '../../../src/runs/report/summary.ts';
import { digestOf, makeRun, NOW, settled } from './make-report.ts';

const ROWS = [settled(1, 'created'), settled(2, 'created'), settled(3, 'failed'), settled(4, 'skipped')];

const ofRows = (given: Parameters<typeof makeRun>[1] = {}) => summarize(makeRun(ROWS, given), NOW());

/** What was written of the rows: other lines than the ledger counted, unless told otherwise. */
const written = (over: Partial<Digest> = {}) => ({
  digest: { ...digestOf(ROWS.slice(0, 3)), ...over },
  files: ['results.csv'],
  kept: [],
  written: [],
});

describe('summarize', () => {
  it('given a finished run, gives its numbers, its control total and its exit status', () => {
    const summary = ofRows();
    expect(summarySchema.parse(summary)).toEqual(summary);
    expect(summary).toMatchObject({
      run: 'run-1',
      settled: 4,
      pending: 0,
      controlTotal: { rows: 4, settled: 4, pending: 0, holds: true },
      writtenAt: '2026-03-01T10:00:10.000Z',
      rowsPerSecond: 1,
      exitCode: 1,
    });
  });

  it('given a running run, counts its speed up to now and knows no exit status yet', () => {
    expect(ofRows({ state: 'running', rows: 10, finishedAt: null })).toMatchObject({
      pending: 6,
      controlTotal: { holds: true },
      rowsPerSecond: 0.4,
      exitCode: null,
    });
  });

  it.each([3, 5])('given 4 outcomes of %i rows in all, says that the total does not hold', (rows) => {
    expect(ofRows({ rows })).toMatchObject({
      pending: rows - 4,
      controlTotal: { holds: false },
      exitCode: 3,
    });
  });
});

it('how the file was read is in the summary with all that was decided, without the header', () => {
  const source = {
    encoding: 'windows-1252',
    compression: 'gzip',
    delimiter: ';',
    headerLine: 3,
    notes: ['No byte tells which.'],
  } as const;
  const summary = ofRows({ source: { ...source, notes: [...source.notes] } });
  expect(summary.source).toEqual({ type: 'csv', sheet: null, ...source });
});

describe('a cancelled run', () => {
  const rows = (['created', 'created', 'cancelled', 'cancelled'] as const).map((end, i) =>
    settled(i + 1, end),
  );

  it('given open rows, has no exit status yet: it is being wound up', () => {
    const run = makeRun(rows, { state: 'cancelled', rows: 9, closedChunks: 0 });
    expect(summarize(run, NOW())).toMatchObject({ controlTotal: { holds: true }, exitCode: null });
  });

  it('given an outcome for every row, has its speed from those that were not cancelled', () => {
    const run = makeRun(rows, { state: 'cancelled' });
    expect(summarize(run, NOW())).toMatchObject({
      controlTotal: { holds: true },
      rowsPerSecond: 0.5,
      exitCode: 2,
    });
  });

  it('given other lines than the ledger counted, does not hold', () => {
    const summary = summarize(makeRun(rows, { state: 'cancelled' }), NOW());
    expect(withWritten(summary, written())).toMatchObject({
      controlTotal: { holds: false },
      exitCode: 3,
    });
  });
});

it('records, given rows that may be one record together, are known once the rows are written', () => {
  const summary = ofRows({ chunkEnds: [4] });
  const after = withWritten(summary, written({ outcomes: summary.outcomes, records: 1 }));
  expect([summary.records, after.records]).toEqual([null, 1]);
});

describe('withWritten', () => {
  it('given other lines than the ledger counted of a finished run, says that the total does not hold', () => {
    const summary = withWritten(ofRows(), written());
    expect(summary).toMatchObject({ controlTotal: { holds: false }, exitCode: 3 });
  });

  it('given other lines of a paused run, whose last rows are still coming in, leaves the total as it is', () => {
    const run = makeRun(ROWS, { state: 'paused', reason: 'requested', finishedAt: null });
    const summary = withWritten(summarize(run, NOW()), written());
    expect(summary).toMatchObject({ controlTotal: { holds: true }, exitCode: 2, files: ['results.csv'] });
  });
});
