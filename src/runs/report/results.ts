/** Scripts rely on the columns and members of these lines. */
import { printable } from '../../lib/terminal.ts';
import type { Values } from '../../model/issue.ts';
import type { Run } from '../../model/run.ts';
import { messageOf } from '../../model/sentence.ts';
import type { RefusalBody, Settlement, Warning } from '../../model/settlement.ts';
import type { SourceInfo } from '../../model/source.ts';
import { adviceFor } from './advice.ts';
import { csvText, onOneLine } from './csv-text.ts';
import type { RemainderRow } from './remainder.ts';

const QUOTE = '"';

/** With the input's delimiter: a spreadsheet that opens one opens the other. */
export function resultsFormat({ delimiter }: Pick<SourceInfo, 'delimiter'>, advising: Advising) {
  const dialect = { delimiter: delimiter === null || delimiter === QUOTE ? ',' : delimiter, quote: QUOTE };
  const cellsOf = Object.values(COLUMNS);
  return {
    header: csvText([Object.keys(COLUMNS)], dialect),
    lines: (settlements: readonly Settlement[]) =>
      csvText(
        settlements.map((settlement) => cellsOf.map((cellOf) => cellOf(settlement, advising))),
        dialect,
      ),
  };
}

const COLUMNS: Readonly<Record<string, (s: Settlement, advising: Advising) => string>> = {
  row: (s) => String(s.row),
  line: (s) => (s.line === 0 ? '' : String(s.line)),
  key: (s) => s.key,
  outcome: (s) => s.outcome,
  status: (s) => (s.status === 0 ? '' : String(s.status)),
  id: (s) => s.id,
  attempts: (s) => String(s.attempts),
  ms: (s) => String(s.ms),
  code: (s) => s.code,
  message: messageCell,
  advice: adviceIn,
};

function messageCell(s: Settlement): string {
  const message = messageOf(s);
  if (s.warnings.length === 0) return message;
  const warnings = s.warnings.map(warningInWords);
  const said = message === '' ? '' : `${message}${message.endsWith('.') ? '' : ';'} `;
  return `${said}${warnings.join('; ')}`;
}

function warningInWords({ code, column, values }: Warning): string {
  const other = values === undefined ? '' : ` (${otherInWords(values)})`;
  return `warning: ${code}${placeInWords(column)}${other}`;
}

function otherInWords({ row, run }: Values): string {
  return run === undefined ? `row ${row} of this file` : `row ${row} of run ${run}`;
}

function placeInWords(column: string | null): string {
  return column === null ? '' : ` in "${onOneLine(column)}"`;
}

export type Advising = Pick<Run, 'operation' | 'purged'> & { readonly extension: 'csv' | 'ndjson' };

export function adviceIn(
  { code, outcome }: Pick<Settlement, 'code' | 'outcome'>,
  { operation, purged, extension }: Advising,
): string {
  return adviceFor(code, outcome, operation, purged !== undefined).replaceAll('.csv', `.${extension}`);
}

/** A body of a size that stands with one row alone, where others have the same. */
const LARGE_CHARACTERS = 1024;

/**
 * The body as received, as a JSON string; `null`: none, or the ledger no longer has it. Where it is
 * cut, `restBytes` says how much followed; `sameAs` names the row that has all that is kept of it.
 */
export function createRejections(run: string): (row: RemainderRow) => string {
  const rows = new Map<string, number>();
  const shownOf = (row: number, body: RefusalBody) => {
    const { text, restBytes, digest } = body;
    if (digest === undefined || text.length <= LARGE_CHARACTERS) return { body: text, restBytes };
    const sameAs = rows.get(digest);
    rows.set(digest, sameAs ?? row);
    if (sameAs === undefined) return { body: text, restBytes };
    const part = text.slice(0, LARGE_CHARACTERS).toWellFormed();
    return { body: part, restBytes: restBytes + Buffer.byteLength(text.slice(part.length)), sameAs };
  };
  return ({ settlement, body }) => {
    const { row, line, key, status } = settlement;
    const { restBytes = 0, ...shown } = body === null ? { body } : shownOf(row, body);
    const rejection = { run, row, line, key, status, ...shown, ...(restBytes > 0 && { restBytes }) };
    // The same JSON, without signs that act on a terminal.
    return `${printable(JSON.stringify(rejection))}\n`;
  };
}

/** One per record, as received but for white space between tokens: parsing would round numbers. */
export function documentLines(settlement: Settlement, records: string): string {
  const payment = settlement.id === '' ? settlement.key : settlement.id;
  const start = `{"row":${settlement.row},"paymentId":${JSON.stringify(payment)},"document":`;
  return elementsOf(records)
    .map((record) => `${start}${record}}\n`)
    .join('');
}

const DEEPER: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['}', -1],
  [']', -1],
]);

/** The elements of a list in valid JSON, each on one line. */
function elementsOf(list: string): readonly string[] {
  const elements: string[] = [];
  let depth = 0;
  let element = '';
  for (const part of partsOf(list)) {
    const after = depth + (DEEPER.get(part) ?? 0);
    const around = Math.min(depth, after);
    depth = after;
    if (around > 1 || (around === 1 && part !== ',')) element += part.trim();
    else {
      if (element !== '') elements.push(element);
      element = '';
    }
  }
  return elements;
}

/** Whole strings, and each other sign. A regular expression fails at millions of escapes. */
function* partsOf(json: string): Generator<string> {
  for (let at = 0, end = 0; at < json.length; at = end) {
    end = at + 1;
    if (json[at] === '"') {
      while (json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
      end += 1;
    }
    yield json.slice(at, end);
  }
}
