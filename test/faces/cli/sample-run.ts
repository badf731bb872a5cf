import { countSettled, noOutcomes } from '../../../src/model/outcome.ts';
import type { Run } from '../../../src/model/run.ts';
import { csvSource } from '../../support/source.ts';

/** A running run of ten rows, none of them settled; its one chunk is closed where all are. */
export function sampleRun(over: Partial<Run> = {}): Run {
  const { rows = 10, outcomes = noOutcomes() } = over;
  return {
    id: '20261121-034512-k3f9',
    job: 'subclients-create',
    operation: 'subclient.create',
    target: 'https://api.example.com',
    file: '/in/a.csv',
    sha256: 'a'.repeat(64),
    parent: null,
    registeredUser: null,
    registeredBy: 'ann',
    checked: null,
    against: null,
    approval: null,
    rows: 10,
    chunkRows: 100,
    chunkEnds: null,
    source: csvSource(),
    state: 'running',
    reason: null,
    outcomes: noOutcomes(),
    chunks: 1,
    closedChunks: countSettled(outcomes) === rows ? 1 : 0,
    createdAt: '2026-11-21T10:00:00.000Z',
    startedAt: '2026-11-21T10:00:01.000Z',
    finishedAt: null,
    ...over,
  };
}
