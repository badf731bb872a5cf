import { type JobDefinition, jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { mappingFor } from '../../../src/delivery/run-mapping.ts';
import { identityOf } from '../../../src/engine/ledger/keys.ts';
import { IN_CLEAR } from '../../../src/engine/ledger/sealing.ts';
import type { KeyForm } from '../../../src/model/key-form.ts';
import type { Mapping } from '../../../src/model/mapping.ts';
import type { Row } from '../../../src/model/row.ts';
import type { Look } from '../../../src/runs/check/ledger.ts';
import { newRun } from '../../support/runs.ts';

const HEADER = ['Ref', 'Name', 'IBAN', 'Parent'];

/** Subclients that may have a parent. */
export const SUBCLIENTS = {
  operation: 'subclient.create',
  key: 'Ref',
  fields: { 'details.name': 'Name', 'parent.id': { column: 'Parent', ref: 'subclient' } },
  ignore: ['IBAN'],
  required: ['details.name'],
} as const;

/** Payees, rows of one key are one. */
export const PAYEES = {
  operation: 'counterparty.draft',
  key: 'Ref',
  group: 'accounts',
  fields: { name: 'Name', 'accounts.0.iban': 'IBAN' },
  ignore: ['Parent'],
  required: ['name'],
  checks: { accounts: 'warn' },
} as const;

/** Rows of `Ref,Name,IBAN,Parent` from row 1, line 2. */
export function rowsOf(lines: readonly string[]): Row[] {
  return lines.map((line, i) => {
    const cells = line.split(',');
    return { kind: 'cells', row: i + 1, line: i + 2, cells: HEADER.map((_, at) => cells[at] ?? '') };
  });
}

export function compiled(job: object): { readonly definition: JobDefinition; readonly mapping: Mapping } {
  const definition = jobDefinitionSchema.parse(job);
  const source = { ...newRun().facts.source, columns: HEADER };
  return { definition, mapping: mappingFor(definition, source) };
}

type LedgerLook = Extract<Look, { kind: 'ledger' }>;

/** A look into a ledger that says so of keys. */
export function lookWith(states: LedgerLook['states'], accounts: LedgerLook['accounts'] = async () => null) {
  return {
    kind: 'ledger' as const,
    openRuns: async () => [],
    target: 'test',
    placeOf: (key: string, form: KeyForm) => identityOf({ sealing: IN_CLEAR }, key, form),
    states,
    fields: async () => new Map(),
    sealing: IN_CLEAR,
    accounts,
    comesFrom: async () => () => new Set<string>(),
    earlierRun: async () => null,
    lastDelivery: async () => null,
    async *keysOf() {},
    lastSpeed: async () => null,
    standing: async () => [],
    ids: async function* () {},
    delivery: async () => undefined,
  };
}
