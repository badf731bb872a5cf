/**
 * `summary.json`: the run in numbers. Its control total is the report's promise: as many rows as the file has, each with
 * one outcome or open; where the written lines disagree with the ledger, the summary says so and exits with 3.
 */
import { z } from 'zod';
import { EXIT, exitCodeOf } from '../model/exit.ts';
import { nameOf } from '../model/operation.ts';
import {
  acceptedRows,
  countSettled,
  OUTCOMES,
  type OutcomeCounts,
  outcomeCountsSchema,
  outcomeSchema,
} from '../model/outcome.ts';
import { isOver, openRows, type Run, reasonSchema, requestSchema, runStateSchema } from '../model/run.ts';
import { ENCODINGS, sourceInfoSchema } from '../model/source.ts';
import { type Shape, shapeSchema } from '../model/written-as.ts';

const count = z.number().int().nonnegative();

/** One of the commonest reasons why rows did not succeed. */
const topErrorSchema = z.object({
  outcome: outcomeSchema,
  code: z.string(),
  /** The column that it is about, where it is about one. */
  column: z.string().optional(),
  count,
  /** The first row with this outcome, code and column. */
  exampleRow: z.number().int().positive(),
  advice: z.string(),
});

/** Rows that did not succeed for the same cause. */
const causeSchema = z.object({
  outcome: outcomeSchema,
  code: z.string(),
  /** What the service says, or the rows' message, without the rows' values. */
  text: z.string(),
  count,
  /** The first rows. */
  rows: z.array(z.number().int().positive()),
});

export type Cause = z.infer<typeof causeSchema>;

export type TopError = z.infer<typeof topErrorSchema>;

/** Cells that looked damaged in the same way, in rows that were sent all the same. */
const topWarningSchema = z.object({
  code: z.string(),
  column: z.string().optional(),
  count,
  /** The first row with such a cell. */
  exampleRow: z.number().int().positive(),
});

export type TopWarning = z.infer<typeof topWarningSchema>;

/** How the file was read. */
const readAsSchema = sourceInfoSchema.pick({
  type: true,
  encoding: true,
  compression: true,
  delimiter: true,
  sheet: true,
  headerLine: true,
  notes: true,
});

/** `summary.json`. */
export const summarySchema = z.object({
  run: z.string(),
  job: z.string(),
  operation: z.string(),
  target: z.string(),
  file: z.string(),
  sha256: z.string(),
  /** The file's text encoding; an earlier version, whose summaries lack it, read UTF-8 only. */
  encoding: z.enum(ENCODINGS).default('utf-8'),
  /** `null` in the summary of an earlier version. */
  source: readAsSchema.nullable().default(null),
  /** The run whose unsuccessful rows this rerun takes up; `null` for a run of a file. */
  parent: z.string().nullable(),
  state: runStateSchema,
  reason: reasonSchema.nullable(),
  /** Where a person has asked for the state that the run is in: who, when, why. */
  request: requestSchema.nullable().default(null),
  rows: count,
  outcomes: outcomeCountsSchema,
  /**
   * Records that the service accepted: the rows of one request count as one record. `null` where records are not counted: in
   * the summary of an earlier version, and of a job with a `group` until the whole report is written.
   */
  records: count.nullable().default(null),
  /** Rows with an outcome. */
  settled: count,
  /** Rows without an outcome yet. */
  open: z.number().int(),
  /** `holds: false` is a defect: a row was lost or counted twice. */
  controlTotal: z.object({ rows: count, settled: count, open: z.number().int(), holds: z.boolean() }),
  /** ISO 8601, UTC; `null` in the summary of an earlier version. */
  createdAt: z.string().nullable().default(null),
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** When these numbers were taken; ISO 8601, UTC. */
  writtenAt: z.string(),
  /** Rows with an outcome, those cancelled aside, per second since the run started, one decimal. */
  rowsPerSecond: z.number().nonnegative(),
  topErrors: z.array(topErrorSchema),
  /** The commonest causes that can be told, commonest first; found when the whole report is written. */
  causes: z.array(causeSchema).default([]),
  /** How refused cells are written, where a setting of the job definition would read them; found when the whole report is written. */
  shapes: z.array(shapeSchema).default([]),
  /** How many cells were sent although they looked damaged, by code; counted when the whole report is written. */
  warnings: z.record(z.string(), count).default({}),
  /** The same warnings with an example row each, commonest first. */
  topWarnings: z.array(topWarningSchema).default([]),
  /** `null` while the run is queued, running or wound up. */
  exitCode: z.number().int().nullable(),
  /** The other files of the report; none while the run is running. */
  files: z.array(z.string()),
  /** Files to correct that somebody has changed since they were written: they stay, and what is true now is beside them in `files`. */
  kept: z.array(z.string()).default([]),
  /** SHA-256 of the files to correct as they were written: by it one that was changed is known. */
  written: z.array(z.string()).default([]),
});

export type Summary = z.infer<typeof summarySchema>;

/** The run in numbers, as the ledger counted them, at the moment `now`. */
export function summarize(run: Run, topErrors: readonly TopError[], now: Date): Summary {
  const settled = countSettled(run.outcomes);
  const open = openRows(run);
  return {
    run: run.id,
    job: run.job,
    operation: nameOf(run.operation),
    target: run.target,
    file: run.file,
    sha256: run.sha256,
    encoding: run.source.encoding,
    source: readAsSchema.parse(run.source),
    parent: run.parent,
    state: run.state,
    reason: run.reason,
    request: run.request ?? null,
    rows: run.rows,
    outcomes: run.outcomes,
    // Where the job groups rows (then chunks differ in size), an outcome per row does not count the records.
    records: run.chunkEnds === null ? acceptedRows(run.outcomes) : null,
    settled,
    open,
    controlTotal: {
      rows: run.rows,
      settled,
      open,
      holds: isOver(run) || run.state === 'finished' ? open === 0 : open >= 0,
    },
    createdAt: run.createdAt,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    writtenAt: now.toISOString(),
    rowsPerSecond: rowsPerSecond(run, settled - run.outcomes.cancelled, now),
    topErrors: [...topErrors],
    causes: [],
    shapes: [],
    warnings: {},
    topWarnings: [],
    exitCode: isUnderWay(run) ? null : exitCodeOf(run),
    files: [],
    kept: [],
    written: [],
  };
}

/** What the writing of a report counted in the rows. */
type Written = {
  readonly outcomes: OutcomeCounts;
  readonly records: number;
  readonly topWarnings: readonly TopWarning[];
  readonly causes: readonly Cause[];
  readonly shapes: readonly Shape[];
  readonly files: readonly string[];
  readonly kept: readonly string[];
  readonly written: readonly string[];
};

/** The summary of a report that was written whole: of a run that is over, the lines must be what the ledger counted. */
export function withWritten(summary: Summary, written: Written): Summary {
  const agrees = OUTCOMES.every((outcome) => written.outcomes[outcome] === summary.outcomes[outcome]);
  const whole = {
    ...summary,
    records: written.records,
    warnings: countsByCode(written.topWarnings),
    topWarnings: [...written.topWarnings],
    causes: [...written.causes],
    shapes: [...written.shapes],
    files: [...written.files],
    kept: [...written.kept],
    written: [...written.written],
  };
  const mustAgree = summary.state === 'finished' || (summary.state === 'cancelled' && summary.open === 0);
  if (agrees || !mustAgree) return whole;
  return { ...whole, controlTotal: { ...summary.controlTotal, holds: false }, exitCode: EXIT.notStarted };
}

function countsByCode(warnings: readonly TopWarning[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const { code, count: cells } of warnings) counts.set(code, (counts.get(code) ?? 0) + cells);
  return Object.fromEntries(counts);
}

function isUnderWay(run: Run): boolean {
  return run.state === 'queued' || run.state === 'running' || (run.state === 'cancelled' && !isOver(run));
}

function rowsPerSecond(run: Run, settled: number, now: Date): number {
  if (run.startedAt === null) return 0;
  const end = run.finishedAt === null ? now.getTime() : Date.parse(run.finishedAt);
  const seconds = (end - Date.parse(run.startedAt)) / 1000;
  return seconds > 0 ? Math.round((settled / seconds) * 10) / 10 : 0;
}
