import type { Mapping } from '../model/mapping.ts';
import { IDENTITY } from '../model/operation.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';

/** The identity ledger of the run's operation; operations that create nothing have one per run, to find duplicate keys. */
export function identitySpace(run: Pick<Run, 'id' | 'operation'>): {
  readonly name: string;
  readonly ofRun: boolean;
} {
  const space = IDENTITY[run.operation];
  return space === null ? { name: `run-${run.id}`, ofRun: true } : { name: space, ofRun: false };
}

/** What the identity ledger knows the row by: its key, else its place, `null` where the key is missing. */
export function identityKeyOf(run: Pick<Run, 'sha256'>, mapping: Mapping, row: Row): string | null {
  if (!mapping.hasKey) return `${run.sha256}:${row.row}`;
  return mapping.keyOf(row);
}
