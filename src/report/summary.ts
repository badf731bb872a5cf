import { z } from 'zod';
import { operationSchema } from '../model/operation.ts';
import {
  OUTCOMES,
  type OutcomeCounts,
  outcomeCountsSchema,
  outcomeSchema,
  settledRows,
} from '../model/outcome.ts';
import { exitCodeOf, isOver, openRows, type Run, reasonSchema, runStateSchema } from '../model/run.ts';

const count = z.number().int().nonnegative();

/** One of the commonest reasons why rows did not succeed. */
export const topErrorSchema = z.object({
  outcome: outcomeSchema,
  code: z.string(),
  count,
  /** The first row that ended so. */
  exampleRow: z.number().int().positive(),
  advice: z.string(),
});
export type TopError = z.infer<typeof topErrorSchema>;

/** The content of `summary.json` (DESIGN.md, section 4). */
export const summarySchema = z.object({
  run: z.string(),
  job: z.string(),
  operation: operationSchema,
  target: z.string(),
  file: z.string(),
  sha256: z.string(),
  /** The run whose rows without success these are; `null` for a run of a file. */
  parent: z.string().nullable(),
  state: runStateSchema,
  reason: reasonSchema.nullable(),
  rows: count,
  outcomes: outcomeCountsSchema,
  /** Rows with an outcome. */
  settled: count,
  /** Rows without an outcome yet. */
  open: z.number().int(),
  /** `holds: false` is a defect: a row was lost or counted twice. */
  controlTotal: z.object({ rows: count, settled: count, open: z.number().int(), holds: z.boolean() }),
  /** ISO 8601, UTC. */
  startedAt: z.string().nullable(),
  finishedAt: z.string().nullable(),
  /** When these numbers were taken; ISO 8601, UTC. */
  writtenAt: z.string(),
  /** Rows with an outcome, those cancelled aside, per second since the run started, one decimal. */
  rowsPerSecond: z.number().nonnegative(),
  topErrors: z.array(topErrorSchema),
  /** `null` while the run is queued, running or wound up. */
  exitCode: z.number().int().nullable(),
  /** The other files of the report; none while the run is running. */
  files: z.array(z.string()),
});
export type Summary = z.infer<typeof summarySchema>;

/** The run in numbers, as the ledger counted them, at the moment `now`. */
export function summarize(run: Run, topErrors: readonly TopError[], now: Date): Summary {
  const settled = settledRows(run.outcomes);
  const open = openRows(run);
  return {
    run: run.id,
    job: run.job,
    operation: run.operation,
    target: run.target,
    file: run.file,
    sha256: run.sha256,
    parent: run.parent,
    state: run.state,
    reason: run.reason,
    rows: run.rows,
    outcomes: run.outcomes,
    settled,
    open,
    controlTotal: {
      rows: run.rows,
      settled,
      open,
      holds: isOver(run) || run.state === 'finished' ? open === 0 : open >= 0,
    },
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    writtenAt: now.toISOString(),
    rowsPerSecond: rowsPerSecond(run, settled - run.outcomes.cancelled, now),
    topErrors: [...topErrors],
    exitCode: isUnderWay(run) ? null : exitCodeOf(run),
    files: [],
  };
}

/** The summary of a report that was written whole: of a run that is over, the lines must be what the ledger counted. */
export function withWritten(
  summary: Summary,
  written: { readonly outcomes: OutcomeCounts; readonly files: readonly string[] },
): Summary {
  const agrees = OUTCOMES.every((outcome) => written.outcomes[outcome] === summary.outcomes[outcome]);
  const files = [...written.files];
  const mustAgree = summary.state === 'finished' || (summary.state === 'cancelled' && summary.open === 0);
  if (agrees || !mustAgree) return { ...summary, files };
  return { ...summary, files, controlTotal: { ...summary.controlTotal, holds: false }, exitCode: 3 };
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
