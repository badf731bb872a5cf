/**
 * The decisions in a run's edited `in-doubt.csv` or `.ndjson`, perhaps saved by a spreadsheet.
 * Anything malformed refuses the whole file, every problem with its line.
 */
import { z } from 'zod';
import { type Format, formatSchema } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import { idProblem } from '../model/record-id.ts';
import type { Decision } from '../model/resolution.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import {
  isTable,
  REPORT_COLUMN_PREFIX,
  REPORT_KEY_COLUMN,
  REPORT_KEY_MEMBER,
  REPORT_MEMBER,
  type SourceInfo,
} from '../model/source.ts';
import { openRows } from '../readers/intake/rows.ts';
import { compileReportKeyOf } from '../readers/mapping/row-key.ts';

export type Told = {
  /** Begins a message: the option, or the file and its line. */
  readonly where: string;
  readonly row: number;
  /** `null`: none stands beside the decision. */
  readonly key: string | null;
  /** `null`: the row is still open. */
  readonly decision: Decision | null;
};

/** `key`: the key's column. A UsageError lists every malformed line. */
export async function readDecisions(path: string, run: Run, key: string | null): Promise<readonly Told[]> {
  const told: Told[] = [];
  const problems: string[] = [];
  for await (const { source, rows } of openRows(path, formatOf(run))) {
    const fieldsOf = isTable(source) ? tableFields(path, source.columns) : recordFields;
    const keyOf = keyReader(path, source, key);
    for (const row of rows) {
      const where = `${path}, line ${row.line}`;
      const read = readLine(fieldsOf(row), run);
      if ('problems' in read) problems.push(...read.problems.map((problem) => `${where}: ${problem}`));
      else told.push({ ...read, where, key: keyOf(row) });
    }
  }
  if (problems.length > 0) throw new UsageError([...problems, NOTHING_RESOLVED]);
  return told;
}

export const NOTHING_RESOLVED = 'Nothing was resolved.';

/** A report leaves out columns named like its own: no key can be read there. */
function keyReader(path: string, source: SourceInfo, key: string | null): (row: Row) => string | null {
  if (key === null) return () => null;
  const bareOf = compileReportKeyOf(isTable(source) ? REPORT_KEY_COLUMN : REPORT_KEY_MEMBER, source);
  const isOfReport = key.startsWith(REPORT_COLUMN_PREFIX);
  const keyOf = isOfReport ? null : compileReportKeyOf(key, source);
  if (keyOf === null && bareOf === null && !isOfReport) {
    throw new UsageError(`${path}: expected one column "${key}", the job's key, as the report has it`);
  }
  return (row) => bareOf?.(row) ?? (keyOf === null ? null : (keyOf(row) ?? ''));
}

/** As the report was written; the file shows its own delimiter. */
function formatOf({ source: { quote, delimiter } }: Run): Format {
  return formatSchema.parse({ ...(quote !== null && { quote }), ...(delimiter !== null && { delimiter }) });
}

/** A text: why the line can't be read. */
type Fields = { readonly run: string; readonly row: string; readonly resolution: string } | string;

const COLUMNS = ['run', 'row', 'resolution'] as const;

function tableFields(path: string, columns: readonly string[]): (row: Row) => Fields {
  const slots = COLUMNS.map((name) => columns.indexOf(REPORT_COLUMN_PREFIX + name));
  const missing = COLUMNS.filter((_, i) => slots[i] === -1).map((name) => REPORT_COLUMN_PREFIX + name);
  if (missing.length > 0) {
    throw new UsageError(
      `${path}: has no column ${missing.join(', ')}: expected the ` +
        "in-doubt.csv of the run's report, with onboard_resolution " +
        'filled in',
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

function recordFields(row: Row): Fields {
  if (row.kind !== 'record') return unreadable(row);
  const parsed = memberSchema.safeParse(JSON.parse(row.text));
  if (!parsed.success) return `expected ${REPORT_MEMBER} with run, row and resolution`;
  const { run, row: number, resolution } = parsed.data[REPORT_MEMBER];
  return { run, row: String(number), resolution: (resolution ?? '').trim() };
}

function unreadable(row: Row): string {
  return row.kind === 'unreadable' ? row.problem : 'expected a record of the same kind as the others';
}

type ReadLine = Pick<Told, 'row' | 'decision'> | { readonly problems: readonly string[] };

const ROW = /^[1-9]\d{0,14}$/;

/** Returns every problem of the line. */
function readLine(fields: Fields, run: Run): ReadLine {
  if (typeof fields === 'string') return { problems: [fields] };
  const problems: string[] = [];
  if (fields.run !== run.id)
    problems.push(`onboard_run is ${shown(fields.run)}: expected "${run.id}", the run that is named`);
  if (!ROW.test(fields.row))
    problems.push(`onboard_row is ${shown(fields.row)}: expected the number of a row`);
  const decision = fields.resolution === '' ? null : parseDecision(fields.resolution);
  if (typeof decision === 'string') problems.push(`onboard_resolution is ${decision}`);
  if (problems.length > 0 || typeof decision === 'string') return { problems };
  return { row: Number(fields.row), decision };
}

/** As people type it: in capitals too, with blanks around the colon or between the words. */
const CREATED = /^created\s*:\s*/i;
const NOT_CREATED = /^not[\s_-]*created$/i;

/** A text: what is wrong with it. */
export function parseDecision(text: string): Decision | string {
  if (NOT_CREATED.test(text)) return { kind: 'not-created' };
  if (!CREATED.test(text))
    return `${shown(text)}: expected created:<id>, not-created, or nothing where it is still open`;
  const id = text.replace(CREATED, '');
  const problem = typedIdProblem(id);
  return problem === null ? { kind: 'created', id } : `${shown(text)}: expected an id${problem}`;
}

const SHOWN_CHARACTERS = 60;

function shown(text: string): string {
  const short = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
  return JSON.stringify(short);
}

const PLACEHOLDER = /^<.*>$/u;

/** Follows "expected an id"; `null`: nothing is wrong. */
export function typedIdProblem(id: string): string | null {
  const problem = idProblem(id);
  if (problem !== null) return problem;
  if (/\s/u.test(id)) return " without white space: expected the service's identifier";
  if (PLACEHOLDER.test(id)) return `, got the placeholder "${id}": expected the service's identifier`;
  return null;
}
