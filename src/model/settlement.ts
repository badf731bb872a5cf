/**
 * What the ledger keeps of a settled row, and what a line of results.csv is made of; no personal
 * data but the key. Ledger and journal hold it as a tuple: a run of a million rows holds a million.
 */
import { z } from 'zod';
import { type KeptIssue, keptIssueSchema, type Values, valuesSchema } from './issue.ts';
import { OUTCOMES, type Outcome, wasAccepted } from './outcome.ts';
import type { Row } from './row.ts';

const warningSchema = z.object({
  code: z.string(),
  column: z.string().nullable(),
  /** Of those that are about another row: which one. */
  values: valuesSchema.optional(),
});
const restSchema = z.strictObject({
  values: valuesSchema.optional(),
  issues: z.array(keptIssueSchema).optional(),
  warnings: z.array(warningSchema).optional(),
  keyDigest: z.string().optional(),
  nth: z.number().optional(),
  accounts: z.array(z.string()).optional(),
});

/** By their places in a tuple. */
export const SETTLEMENT_FIELDS = [
  'row',
  'line',
  'key',
  'outcome',
  'status',
  'id',
  'attempts',
  'ms',
  'code',
  'message',
  'rest',
] as const;
export type SettlementField = (typeof SETTLEMENT_FIELDS)[number];

type SettlementTuple = readonly [
  row: number,
  line: number,
  key: string,
  outcome: Outcome,
  status: number,
  id: string,
  attempts: number,
  ms: number,
  code: string,
  message: string,
  /** Absent where empty. */
  rest?: z.infer<typeof restSchema>,
];

/** A report reads a tuple per row; a general schema takes several times as long. */
export const settlementSchema = z.custom<SettlementTuple>(isTuple, 'expected what became of a row');

export const settlementsSchema = z.custom<readonly SettlementTuple[]>(
  (value) => Array.isArray(value) && value.every(isTuple),
  'expected what became of rows',
);

function isTuple(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < FIELDS || value.length > FIELDS + 1) return false;
  const [row, line, key, outcome, status, id, attempts, ms, code, message, rest]: readonly unknown[] = value;
  const areCounts = isCount(row) && isCount(line) && isCount(status) && isCount(attempts) && isCount(ms);
  const areTexts = isText(key) && isText(id) && isText(code) && isText(message);
  const isWhole = areCounts && areTexts && row !== 0 && OUTCOME_NAMES.has(outcome);
  return isWhole && (rest === undefined || restSchema.safeParse(rest).success);
}

const FIELDS = 10;
const OUTCOME_NAMES: ReadonlySet<unknown> = new Set(OUTCOMES);

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export type Settlement = {
  readonly row: number;
  /** 0: unknown, since the file was gone when its run was cancelled. */
  readonly line: number;
  /** '': none, or purged. */
  readonly key: string;
  /** What the identity ledger knows a purged row by, and one without a key that did not succeed. */
  readonly keyDigest?: string | undefined;
  /** Of such a row without a key, its number among those of its content (`RowContent`). */
  readonly nth?: number | undefined;
  /** Of a row in doubt: digests of accounts that it has in their index. */
  readonly accounts?: readonly string[] | undefined;
  readonly outcome: Outcome;
  /** HTTP status, 0: none was received. */
  readonly status: number;
  /** The service's id, '': unknown. */
  readonly id: string;
  readonly attempts: number;
  /** Duration of the last attempt. */
  readonly ms: number;
  readonly code: string;
  /** Names in braces are those of `values`. */
  readonly message: string;
  readonly values: Values;
  readonly issues: readonly KeptIssue[];
  readonly warnings: readonly Warning[];
};

export type Warning = z.infer<typeof warningSchema>;

/** One object for nearly all rows. */
export const NO_REST: Pick<Settlement, 'values' | 'issues' | 'warnings'> = {
  values: {},
  issues: [],
  warnings: [],
};

export function toTuple(s: Settlement): SettlementTuple {
  const { row, line, key, outcome, status, id, attempts, ms, code, message } = s;
  const rest = restOf(s);
  // Written out: a list made from another costs a row half a microsecond.
  if (rest === undefined) return [row, line, key, outcome, status, id, attempts, ms, code, message];
  return [row, line, key, outcome, status, id, attempts, ms, code, message, rest];
}

/** What few rows have; `undefined`: nothing of it. */
export function restOf(s: Settlement): SettlementTuple[10] {
  const { values, issues, warnings, keyDigest, nth, accounts } = s;
  const hasValues = Object.keys(values).length > 0;
  const isNamed = keyDigest !== undefined || accounts !== undefined;
  const hasMore = issues.length > 0 || warnings.length > 0 || isNamed;
  if (!hasValues && !hasMore) return undefined;
  return {
    ...(hasValues && { values }),
    ...(issues.length > 0 && { issues: [...issues] }),
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(keyDigest !== undefined && { keyDigest }),
    ...(nth !== undefined && { nth }),
    ...(accounts !== undefined && { accounts: [...accounts] }),
  };
}

export function fromTuple(tuple: SettlementTuple): Settlement {
  const [row, line, key, outcome, status, id, attempts, ms, code, message, rest] = tuple;
  const { values = NO_REST.values, issues = NO_REST.issues, warnings = NO_REST.warnings } = rest ?? NO_REST;
  const own = { row, line, key, outcome, status, id, attempts, ms, code, message, values, issues, warnings };
  if (rest?.keyDigest === undefined && rest?.accounts === undefined) return own;
  return { ...rest, ...own };
}

/**
 * The text of each of the settlements that are one text, as JSON. A sealed one ends with a box of
 * all of them, which goes along with each.
 */
export function eachTogether(text: string): string[] {
  const all = z.array(z.unknown()).parse(JSON.parse(text));
  const box = all.at(-1);
  if (typeof box !== 'string') return all.map((one) => JSON.stringify(one));
  return all.slice(0, -1).map((one) => JSON.stringify([...z.array(z.unknown()).parse(one), box]));
}

export type RefusalBody = {
  readonly text: string;
  readonly restBytes: number;
  /** Bodies of a run that have the same are equal. */
  readonly digest?: string;
};

const CUT = '\0';

/** The text; or NUL, the number of bytes that followed it, NUL and the text. */
export function packBody({ text, restBytes }: RefusalBody): string {
  return restBytes === 0 && !text.startsWith(CUT) ? text : CUT + restBytes + CUT + text;
}

export function unpackBody(packed: string): RefusalBody {
  if (!packed.startsWith(CUT)) return { text: packed, restBytes: 0 };
  const end = packed.indexOf(CUT, 1);
  return { text: packed.slice(end + 1), restBytes: Number(packed.slice(1, end)) };
}

/** Of a row whose adopted key was taken back: it is nobody's to send. */
export const UNDONE = 'adoption_undone';

type Ended = Pick<Settlement, 'outcome' | 'status'>;

/** The service refused the row, whatever it said. */
export function wasRefused({ outcome, status }: Ended): boolean {
  if (outcome === 'rejected' || outcome === 'denied') return true;
  // Also a redirect: somebody answered.
  return outcome === 'failed' && status >= 300 && status < 500 && status !== 429;
}

/** The service answered, and is there: also with a success that can't be read. */
export function wasAnswered(end: Ended): boolean {
  return wasAccepted(end.outcome) || wasRefused(end) || isUnreadable(end);
}

/** The service took the request, and its answer does not say which record it made. */
export function isUnreadable({ outcome, status }: Ended): boolean {
  return outcome === 'in-doubt' && status >= 200 && status < 300;
}

/** A chunk as it stands, in row order; rows without an outcome are absent. */
export type SettledChunk = {
  readonly chunk: number;
  /** When its last row was settled, ms since 1970; `null`: it is open. */
  readonly closedAt: number | null;
  readonly settlements: readonly Settlement[];
};

export type LedgerView = {
  chunks(): AsyncIterable<SettledChunk>;
  /** Source records of rows that did not succeed; unknown rows are absent. */
  sources(rows: readonly number[]): Promise<ReadonlyMap<number, Row>>;
  /** Bodies of refusals; unknown rows are absent. */
  bodies(rows: readonly number[]): Promise<ReadonlyMap<number, RefusalBody>>;
  /** JSON text of each row's document records; unknown rows are absent. */
  documents(rows: readonly number[]): Promise<ReadonlyMap<number, string>>;
};
