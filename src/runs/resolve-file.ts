import { type Format, formatSchema } from '../config/job-definition.ts';
import { inspectFile } from '../intake/inspect.ts';
import { openRows } from '../intake/rows.ts';
import type { RowDecision } from '../ledger/resolve-entry.ts';
import { UsageError } from '../lib/usage-error.ts';
import { compileReportKeyOf } from '../mapping/row-key.ts';
import { type Decision, describeDecision } from '../model/resolution.ts';
import type { Row } from '../model/row.ts';
import type { Run } from '../model/run.ts';
import { isTable, REPORT_COLUMN_PREFIX, type SourceInfo } from '../model/source.ts';
import type { Told } from './resolve-check.ts';
import { csvLine, type DecisionLine, readLine, recordLine } from './resolve-line.ts';

/** What an edited `in-doubt` file says; `open`: lines without a resolution, `told`: every line. */
type DecisionFile = {
  readonly decisions: readonly RowDecision[];
  readonly open: number;
  readonly told: readonly Told[];
};

/** Reads the decisions of a run's edited `in-doubt.csv` or `.ndjson`, with the key column's values; a UsageError lists every line that is malformed. */
export async function readDecisions(path: string, run: Run, key: string | null): Promise<DecisionFile> {
  const gathering = createGathering(path, run);
  const inspected = await inspectFile(path, formatOf(run));
  for await (const { source, rows } of openRows(path, inspected, formatOf(run))) {
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

/** As the report wrote it; a spreadsheet may have saved it with another of the usual delimiters. */
function formatOf({ source }: Run): Format {
  const { delimiter, quote } = source;
  const unusual = delimiter !== null && !',;\t|'.includes(delimiter);
  return formatSchema.parse({
    ...(unusual ? { delimiter } : {}),
    ...(quote === null ? {} : { quote }),
  });
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
    end(): DecisionFile {
      if (problems.length > 0) throw new UsageError([...problems, 'Nothing was resolved.']);
      return { decisions: [...taken].map(([row, { decision }]) => ({ row, decision })), open, told };
    },
  };
}
