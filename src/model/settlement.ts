/**
 * Settlements: what the ledger keeps of a settled row, and what a line of results.csv is made of;
 * no personal data but the key. The ledger and the journal hold each one as a tuple, since a run of
 * a million rows holds a million of them.
 */
import { z } from 'zod';
import { OUTCOMES, outcomeSchema } from './outcome.ts';
import type { Row } from './row.ts';

/**
 * In this order: row, line, key, outcome, status, id, attempts, ms, code, message and, where there
 * are some, warnings.
 */
const fields = [
  z.number().int().positive(),
  z.number().int().nonnegative(),
  z.string(),
  outcomeSchema,
  z.number().int().nonnegative(),
  z.string(),
  z.number().int().nonnegative(),
  z.number().int().nonnegative(),
  z.string(),
  z.string(),
] as const;
const tupleSchema = z.union([z.tuple([...fields]), z.tuple([...fields, z.string()])]);
type SettlementTuple = z.infer<typeof tupleSchema>;

/**
 * A report reads a tuple per row, and the general schema takes several times as long over one as
 * this look at it.
 */
export const settlementSchema = z.custom<SettlementTuple>(isTuple, 'expected what became of a row');

/** As a list of the schema above each row would cost twice as much. */
export const settlementsSchema = z.custom<SettlementTuple[]>(
  (value) => Array.isArray(value) && value.every(isTuple),
  'expected what became of rows',
);
/** A closed chunk's: when it was closed, and its rows. */
export const blockSchema = z.tuple([z.number(), settlementsSchema]);

function isTuple(value: unknown): boolean {
  return isWithoutWarnings(value) || tupleSchema.safeParse(value).success;
}

export type Settlement = {
  readonly row: number;
  /** 0 where the line is not known: the row's file was gone when its run was cancelled. */
  readonly line: number;
  readonly key: string;
  readonly outcome: z.infer<typeof outcomeSchema>;
  /** HTTP status, 0 where none was received. */
  readonly status: number;
  /** The service's identifier, empty where none is known. */
  readonly id: string;
  readonly attempts: number;
  /** Duration of the last attempt, milliseconds. */
  readonly ms: number;
  readonly code: string;
  readonly message: string;
  /**
   * Cells that looked damaged and were sent all the same, as codes with columns, `iban_invalid:IBAN
   * mojibake:Name`; else empty.
   */
  readonly warnings: string;
};

const OUTCOME_NAMES: ReadonlySet<unknown> = new Set(OUTCOMES);

function isWithoutWarnings(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== fields.length) return false;
  const [row, line, key, outcome, status, id, attempts, ms, code, message]: readonly unknown[] = value;
  const areCounts = isCount(row) && isCount(line) && isCount(status) && isCount(attempts) && isCount(ms);
  return areCounts && row !== 0 && OUTCOME_NAMES.has(outcome) && [key, id, code, message].every(isText);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/**
 * One warning as a settlement has it; columns are percent-encoded, since warnings are separated by
 * spaces.
 */
export function warningWord(code: string, column: string | null): string {
  return column === null ? code : `${code}:${encodeURIComponent(column.toWellFormed())}`;
}

/** The warnings of a settlement. */
export function warningsOf(s: Settlement): { readonly code: string; readonly column: string | null }[] {
  if (s.warnings === '') return [];
  return s.warnings.split(' ').map((word) => {
    const [code = '', column] = word.split(':');
    return { code, column: column === undefined ? null : decodeURIComponent(column) };
  });
}

export function toTuple(s: Settlement): SettlementTuple {
  const { row, line, key, outcome, status, id, attempts, ms, code, message, warnings } = s;
  // Written out: a list put together of another costs a row half a microsecond.
  return warnings === ''
    ? [row, line, key, outcome, status, id, attempts, ms, code, message]
    : [row, line, key, outcome, status, id, attempts, ms, code, message, warnings];
}

export function fromTuple(tuple: SettlementTuple): Settlement {
  const [row, line, key, outcome, status, id, attempts, ms, code, message, warnings = ''] = tuple;
  return { row, line, key, outcome, status, id, attempts, ms, code, message, warnings };
}

/** What is kept of the body of a refusal, and how many bytes followed that. */
export type RefusalBody = { readonly text: string; readonly restBytes: number };

const CUT = '\0';

/**
 * The body as the ledger and the journal hold it: the text itself, or behind a NUL the number of
 * bytes that followed, another NUL and the text.
 */
export function packBody({ text, restBytes }: RefusalBody): string {
  return restBytes === 0 && !text.startsWith(CUT) ? text : CUT + restBytes + CUT + text;
}

export function unpackBody(packed: string): RefusalBody {
  if (!packed.startsWith(CUT)) return { text: packed, restBytes: 0 };
  const end = packed.indexOf(CUT, 1);
  return { text: packed.slice(end + 1), restBytes: Number(packed.slice(1, end)) };
}

/** A chunk as it stands: its rows in their order; those without an outcome yet are absent. */
export type SettledChunk = {
  readonly chunk: number;
  /** When its last row was settled, ms since 1970; `null`: it is open. */
  readonly closedAt: number | null;
  readonly settlements: readonly Settlement[];
};

/** What a report reads of one run; rows are named by their row number. */
export type LedgerView = {
  /** In the file's order. */
  chunks(): AsyncIterable<SettledChunk>;
  /** Source records of rows that did not succeed; rows not known are absent. */
  sources(rows: readonly number[]): Promise<ReadonlyMap<number, Row>>;
  /** Bodies of refusals; rows not known are absent. */
  bodies(rows: readonly number[]): Promise<ReadonlyMap<number, RefusalBody>>;
  /**
   * `payment.documents`: JSON text of the array of document records per row; rows not known are
   * absent.
   */
  documents(rows: readonly number[]): Promise<ReadonlyMap<number, string>>;
};
