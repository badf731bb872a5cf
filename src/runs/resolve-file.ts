/**
 * The decisions in a run's report file of rows in doubt, as somebody has edited it, perhaps with a spreadsheet that
 * saved it in its own way. Anything malformed in it refuses the whole file, every problem with its line.
 */
import { z } from 'zod';
import { type Format, formatSchema } from '../config/job-definition.ts';
import { openRows } from '../intake/rows.ts';
import type { RowDecision } from '../ledger/resolve.ts';
import { UsageError } from '../lib/usage-error.ts';
import { compileReportKeyOf } from '../mapping/row-key.ts';
import { idProblem } from '../model/record-id.ts';
import { type Decision, describeDecision } from '../model/resolution.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER, type SourceInfo } from '../model/source.ts';

/** What somebody says of one row. */
export type Told = {
  /** Begins a message about the row: the option, or the file and its line. */
  readonly where: string;
  readonly row: number;
  /** The key that stands beside the decision; `null`: none does. */
  readonly key: string | null;
  /** `null` where the row is still open. */
  readonly decision: Decision | null;
};

/** All that somebody says; `open`: lines without a resolution, `told`: every line. */
export type Said = {
  readonly decisions: readonly RowDecision[];
  readonly open: number;
  readonly told: readonly Told[];
};

/**
 * Reads the decisions of a run's edited `in-doubt.csv` or `.ndjson`, with the key column's values; a UsageError lists every line that
 * is malformed.
 */
export async function readDecisions(path: string, run: Run, key: string | null): Promise<Said> {
  const gathering = createGathering(path, run);
  for await (const { source, rows } of openRows(path, formatOf(run))) {
    const lineOf = isTable(source) ? csvLine(path, source.columns) : recordLine;
    const keyOf = keyReader(path, source, key);
    for (const row of rows) gathering.take(row.line, lineOf(row), keyOf(row));
  }
  return gathering.end();
}

/** A report leaves out columns named like its own, so there is no key to read in one. */
function keyReader(path: string, source: SourceInfo, key: string | null): (row: Row) => string | null {
  if (key === null || key.startsWith(REPORT_COLUMN_PREFIX)) return () => null;
  const keyOf = compileReportKeyOf(key, source);
  if (keyOf === null) {
    throw new UsageError(`${path}: expected one column "${key}", the job's key, as the report has it`);
  }
  return (row) => keyOf(row) ?? '';
}

/** The format that the report was written in; its delimiter it tells itself. */
function formatOf({ source: { quote, delimiter } }: Run): Format {
  return formatSchema.parse({ ...(quote !== null && { quote }), ...(delimiter !== null && { delimiter }) });
}

type Taken = { readonly decision: Decision; readonly line: number };

function createGathering(path: string, run: Run) {
  const taken = new Map<number, Taken>();
  const problems: string[] = [];
  const told: Told[] = [];
  let open = 0;
  const keep = (row: number, decision: Decision, line: number) => {
    const earlier = taken.get(row);
    taken.set(row, earlier ?? { decision, line });
    if (earlier === undefined || describeDecision(earlier.decision) === describeDecision(decision)) return;
    problems.push(
      `${path}, line ${line}: row ${row} is decided otherwise on line ${earlier.line}: expected one decision`,
    );
  };
  return {
    take(line: number, said: DecisionLine, key: string | null) {
      const where = `${path}, line ${line}`;
      const read = readLine(said, run);
      if (read.kind === 'read') told.push({ where, row: read.row, key, decision: read.decision });
      if (read.kind === 'problems') problems.push(...read.problems.map((p) => `${where}: ${p}`));
      else if (read.decision === null) open += 1;
      else keep(read.row, read.decision, line);
    },
    end(): Said {
      if (problems.length > 0) throw new UsageError([...problems, 'Nothing was resolved.']);
      return { decisions: [...taken].map(([row, { decision }]) => ({ row, decision })), open, told };
    },
  };
}

/** What a line of an edited `in-doubt` file says; a text: what is wrong with it. */
type DecisionLine = { readonly run: string; readonly row: string; readonly resolution: string } | string;

const COLUMNS = ['run', 'row', 'resolution'] as const;

/** Reads lines of a CSV file with these columns; a UsageError where a report's column is missing. */
function csvLine(path: string, columns: readonly string[]): (row: Row) => DecisionLine {
  const slots = COLUMNS.map((name) => columns.indexOf(REPORT_COLUMN_PREFIX + name));
  const missing = COLUMNS.filter((_, i) => slots[i] === -1).map((name) => REPORT_COLUMN_PREFIX + name);
  if (missing.length > 0) {
    throw new UsageError(
      `${path}: has no column ${missing.join(', ')}: expected the in-doubt.csv of the run's report, with onboard_resolution filled in`,
    );
  }
  return (row) => {
    if (row.kind !== 'cells') return unreadable(row);
    const [run = '', number = '', resolution = ''] = slots.map((slot) => row.cells[slot]?.trim());
    return { run, row: number, resolution };
  };
}

const memberSchema = z.looseObject({
  [REPORT_MEMBER]: z.looseObject({
    run: z.string(),
    row: z.number(),
    resolution: z.string().nullish(),
  }),
});

/** Reads a record of an NDJSON file. */
function recordLine(row: Row): DecisionLine {
  if (row.kind !== 'record') return unreadable(row);
  const parsed = memberSchema.safeParse(JSON.parse(row.text));
  if (!parsed.success) return `expected ${REPORT_MEMBER} with run, row and resolution`;
  const { run, row: number, resolution } = parsed.data[REPORT_MEMBER];
  return { run, row: String(number), resolution: (resolution ?? '').trim() };
}

function unreadable(row: Row): string {
  return row.kind === 'unreadable' ? row.problem : 'expected a record of the same kind as the others';
}

/** A line's row with its decision, `null` where it is still open; or everything that is wrong with it. */
type ReadLine =
  | { readonly kind: 'read'; readonly row: number; readonly decision: Decision | null }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

const ROW = /^[1-9]\d{0,14}$/;

/** Whether the line is of the run, of a row, and holds a decision that can be followed. */
function readLine(fields: DecisionLine, run: Run): ReadLine {
  if (typeof fields === 'string') return { kind: 'problems', problems: [fields] };
  const problems: string[] = [];
  if (fields.run !== run.id)
    problems.push(`onboard_run is ${shown(fields.run)}: expected "${run.id}", the run that is named`);
  if (!ROW.test(fields.row))
    problems.push(`onboard_row is ${shown(fields.row)}: expected the number of a row`);
  const decision = fields.resolution === '' ? null : parseDecision(fields.resolution);
  if (typeof decision === 'string') problems.push(`onboard_resolution is ${decision}`);
  if (problems.length > 0 || typeof decision === 'string') return { kind: 'problems', problems };
  return { kind: 'read', row: Number(fields.row), decision };
}

const CREATED = 'created:';

/** The decision, or what is wrong with the text. */
export function parseDecision(text: string): Decision | string {
  if (text === 'not-created') return { kind: 'not-created' };
  if (!text.startsWith(CREATED))
    return `${shown(text)}: expected created:<id>, not-created, or nothing where it is still open`;
  const id = text.slice(CREATED.length);
  const problem = typedIdProblem(id);
  return problem === null ? { kind: 'created', id } : `${shown(text)}: expected an id${problem}`;
}

const SHOWN_CHARACTERS = 60;

function shown(text: string): string {
  const short = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return JSON.stringify(short);
}

const PLACEHOLDER = /^<.*>$/u;

/**
 * What keeps a text that somebody typed from being the service's identifier, to follow "expected an id"; `null` for one that is fine.
 */
export function typedIdProblem(id: string): string | null {
  const problem = idProblem(id);
  if (problem !== null) return problem;
  if (/\s/u.test(id)) return " without white space: expected the service's identifier";
  if (PLACEHOLDER.test(id)) return `, got the placeholder "${id}": expected the service's identifier`;
  return null;
}
