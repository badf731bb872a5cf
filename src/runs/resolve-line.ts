import { z } from 'zod';
import { UsageError } from '../lib/usage-error.ts';
import type { Decision } from '../model/resolution.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../model/source.ts';
import { typedIdProblem } from './resolve-id.ts';

/** What a line of an edited `in-doubt` file says; a text: what is wrong with it. */
export type DecisionLine =
  | { readonly run: string; readonly row: string; readonly resolution: string }
  | string;

const COLUMNS = ['run', 'row', 'resolution'] as const;

/** Reads lines of a CSV file with these columns; a UsageError where a report's column is missing. */
export function csvLine(path: string, columns: readonly string[]): (row: Row) => DecisionLine {
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
export function recordLine(row: Row): DecisionLine {
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

/** Whether the line is of the run, of a row, and holds a decision that can be carried out. */
export function readLine(fields: DecisionLine, run: Run): ReadLine {
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
function parseDecision(text: string): Decision | string {
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
