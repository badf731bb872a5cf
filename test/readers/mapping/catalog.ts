import fc from 'fast-check';
import { type JobDefinition, jobDefinitionSchema } from '../../../src/config/job-definition.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';
import type { FieldCatalog, Mapped, Mapping } from '../../../src/model/mapping.ts';
import type { CellsRow, RecordRow } from '../../../src/model/row.ts';
import type { SourceInfo } from '../../../src/model/source.ts';
import { compileMapping } from '../../../src/readers/mapping/mapping.ts';
import { csvSource } from '../../support/source.ts';

/** One field of every kind that the service has, list in list included. */
export const CATALOG: FieldCatalog = new Map([
  ['name', 'string'],
  ['email', 'string'],
  ['country', 'country'],
  ['details.name', 'string'],
  ['details.taxId', 'string'],
  ['kyc.since', 'date-time'],
  ['kyc.payments', 'integer'],
  ['kyc.volume', 'number'],
  ['isPayer', 'boolean'],
  ['currencies', 'string-list'],
  ['parent.id', 'string'],
  ['accounts.#.iban', 'string'],
  ['accounts.#.country', 'country'],
  ['accounts.#.currencies', 'string-list'],
  ['accounts.#.banks.#.bic', 'string'],
  ['draft', 'object'],
]);

type Settings = Partial<JobDefinition> & Record<string, unknown>;

export type Compiling = {
  readonly catalog?: FieldCatalog;
  readonly pathField?: string | null;
  readonly needsPathId?: boolean;
  readonly found?: Partial<SourceInfo>;
};

/** Most tests fill accounts with any text: damage there only warns, as elsewhere. */
const ACCOUNTS_WARN = { accounts: 'warn', damage: 'warn' };

export function definitionOf(settings: Settings): JobDefinition {
  const checks = { ...ACCOUNTS_WARN, ...settings.checks };
  return jobDefinitionSchema.parse({ operation: 'counterparty.draft', ...settings, checks });
}

export function sourceOf(type: SourceInfo['type'], columns: readonly string[]): SourceInfo {
  const signs = type === 'csv' ? {} : { delimiter: null, quote: null };
  return csvSource({ type, ...signs, columns: [...columns] });
}

export const compileCsv = (
  columns: readonly string[],
  settings: Settings = {},
  more: Compiling = {},
): Mapping => compile(sourceOf('csv', columns), settings, more);

export const compileJson = (
  columns: readonly string[],
  settings: Settings = {},
  more: Compiling = {},
): Mapping => compile(sourceOf('ndjson', columns), settings, more);

function compile(of: SourceInfo, settings: Settings, { found, ...more }: Compiling): Mapping {
  const source = { ...of, ...found };
  const path = { pathField: null, needsPathId: false };
  return compileMapping({ definition: definitionOf(settings), source, catalog: CATALOG, ...path, ...more });
}

/** Any text at all, of any characters; cheaper to set up than fast-check's own. */
export const ANY_TEXT = fc
  .array(fc.nat(0x10ffff))
  .map((codes) => codes.map((code) => String.fromCodePoint(code)).join(''));

export function cells(...values: string[]): CellsRow {
  return { kind: 'cells', row: 3, line: 7, cells: values };
}

export function record(value: unknown): RecordRow {
  return { kind: 'record', row: 3, line: 7, text: typeof value === 'string' ? value : JSON.stringify(value) };
}

/** The body, or the issues in short: code, column, and the value as JSON. */
export function bodyOf(mapped: Mapped): unknown {
  if (mapped.kind === 'mapped') return mapped.body;
  return mapped.issues.map(({ code, column, value }) => `${code} ${column} ${JSON.stringify(value)}`);
}

export function problemsOf(compile: () => unknown): readonly string[] {
  try {
    compile();
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
  throw new Error('expected a UsageError');
}

/** Maps one row of a table that has these columns with these cells. */
export function mapCsv(
  row: Readonly<Record<string, string>>,
  settings: Settings = {},
  more: Compiling = {},
): Mapped {
  return compileCsv(Object.keys(row), settings, more).map(cells(...Object.values(row)));
}
