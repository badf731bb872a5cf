import { type JobDefinition, jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { ownKey, type RowTask } from '../../src/delivery/row-task.ts';
import { identityOf, type Place } from '../../src/engine/ledger/keys.ts';
import { IN_CLEAR } from '../../src/engine/ledger/sealing.ts';
import type { KeyClaim } from '../../src/model/identity.ts';
import type { Operation } from '../../src/model/operation.ts';
import type { CellsRow } from '../../src/model/row.ts';

export const CLAIMS = {
  claimed: { kind: 'claimed' },
  duplicate: { kind: 'duplicate', row: 3 },
  apart: { kind: 'apart', row: 5 },
  known: { kind: 'known', run: 'run-before', id: 'sub-9' },
  held: { kind: 'held', run: 'run-other', row: 4, inDoubt: false },
  doubted: { kind: 'held', run: 'run-other', row: 4, inDoubt: true },
} as const satisfies Readonly<Record<string, KeyClaim>>;

export function sampleDefinition(operation: Operation, over: object = {}): JobDefinition {
  return jobDefinitionSchema.parse({ operation, key: 'externalId', ...over });
}

export function sampleRow(row = 7): CellsRow {
  return { kind: 'cells', row, line: row + 1, cells: [`K${row}`, `Company ${row}`] };
}

/** Row 7, line 8, key K7, of chunk 1. */
export function sampleTask(operation: Operation, over: Partial<RowTask> = {}): RowTask {
  const task = {
    run: { id: 'run-now', operation, sha256: 'a'.repeat(64) },
    chunk: 1,
    row: sampleRow(),
    key: 'K7',
    identityKey: 'K7',
    claim: CLAIMS.claimed,
    foundMark: '',
    possiblySent: false,
    members: [],
    keyless: null,
    ...over,
  };
  return { ...task, identity: ownKey(task, placeOf) };
}

/** Where a ledger in clear keeps a key. */
export function placeOf(key: string): Place {
  return identityOf({ sealing: IN_CLEAR }, key);
}
