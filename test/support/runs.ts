import { randomBytes } from 'node:crypto';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import { type LedgerKeys, ledgerKeys } from '../../src/ledger/keys.ts';
import type { NewRun } from '../../src/ledger/run-store.ts';

/** A ledger that no other test shares. */
export function ownKeys(): LedgerKeys {
  return ledgerKeys(`http://127.0.0.1/${randomBytes(6).toString('hex')}`);
}

export function newRun(over: Partial<NewRun> & { readonly rows?: number } = {}): NewRun {
  const { rows = 3, ...rest } = over;
  const source = {
    type: 'csv',
    encoding: 'utf-8',
    bom: false,
    compression: 'none',
    headerLine: 1,
    sheet: null,
    notes: [],
    delimiter: ',',
    quote: '"',
    columns: ['externalId'],
  } as const;
  return {
    id: `run-${randomBytes(4).toString('hex')}`,
    job: 'subclients-create',
    definition: jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'externalId' }),
    target: 'sandbox',
    facts: {
      path: '/in/a.csv',
      sha256: randomBytes(32).toString('hex'),
      bytes: 10,
      stamp: '',
      rows,
      source: { ...source, notes: [], columns: [...source.columns] },
      chunkEnds: null,
    },
    chunkRows: 100,
    createdAt: new Date('2026-11-21T10:00:00Z'),
    again: false,
    ...rest,
  };
}
