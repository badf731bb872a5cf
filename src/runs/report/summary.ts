/**
 * `summary.json`: the run in numbers. Its control total is the report's promise: each row of the
 * file has one outcome or is pending. Where the digest disagrees with the ledger, the summary says
 * so and the exit status is 3.
 */
import { z } from 'zod';
import { accountSchema } from '../../model/account.ts';
import { headSchema } from '../../model/audit.ts';
import { EXIT, exitCodeOf } from '../../model/exit.ts';
import { acceptedRows, countSettled, OUTCOMES } from '../../model/outcome.ts';
import {
  isMoving,
  isOver,
  letGoSchema,
  pendingRows,
  purgedSchema,
  type Run,
  requestSchema,
  runSchema,
  unusualSchema,
} from '../../model/run.ts';
import { sourceInfoSchema } from '../../model/source.ts';
import { nameOf } from '../../operations/own.ts';
import { UNTOLD } from './causes.ts';
import { causeSchema, type Digest, digestSchema } from './digest.ts';

const count = z.number().int().nonnegative();
const { topErrors, topWarnings } = digestSchema.shape;

const readAsSchema = sourceInfoSchema.pick({
  type: true,
  encoding: true,
  compression: true,
  delimiter: true,
  sheet: true,
  headerLine: true,
  notes: true,
});

/** Times are ISO 8601, UTC. */
const asOfRunSchema = runSchema.pick({
  job: true,
  target: true,
  file: true,
  sha256: true,
  parent: true,
  state: true,
  reason: true,
  registeredBy: true,
  registeredVia: true,
  registeredUser: true,
  checked: true,
  approval: true,
  against: true,
  rows: true,
  outcomes: true,
  createdAt: true,
  startedAt: true,
  finishedAt: true,
});

export const summarySchema = asOfRunSchema.extend({
  run: z.string(),
  operation: z.string(),
  source: readAsSchema,
  request: requestSchema.nullable(),
  /** Of a paused run: what is to be put right, if that is known. */
  problem: z.string().nullable().default(null),
  /** Digest of what is to be approved, or was; `null`: nobody is asked. */
  plan: z.string().nullable().default(null),
  /** What of the file is unlike those before it, and who let it go. */
  unusual: unusualSchema.extend({ letGo: letGoSchema.nullable() }).nullable().default(null),
  /** Redis and journals have what is personal in boxes. */
  sealed: z.boolean().default(false),
  purged: purgedSchema.nullable(),
  /** Accepted by the service; `null`: a job with a `group`, until the report is written. */
  records: count.nullable(),
  settled: count,
  /** Rows without an outcome yet. */
  pending: z.number().int(),
  /** `holds: false` is a defect: a row was lost or counted twice. */
  controlTotal: z.object({ rows: count, settled: count, pending: z.number().int(), holds: z.boolean() }),
  writtenAt: z.string(),
  /** Rows with an outcome, without cancelled ones, since the start. */
  rowsPerSecond: z.number().nonnegative(),
  /** These three are filled when the report is written. */
  topErrors,
  /** The commonest that may be shown; `rows`: the first of each. */
  causes: z.array(
    causeSchema
      .pick({ outcome: true, code: true, text: true, fields: true, quoted: true, issues: true, count: true })
      .extend({ rows: z.array(z.number().int().positive()) }),
  ),
  /** Sent cells that looked damaged. */
  topWarnings,
  /** Of the file that the rows come from, when the report was written; `null`: it was not. */
  account: accountSchema.nullable().default(null),
  /** The latest entry of the audit, when the report was written. */
  audit: headSchema.nullable().default(null),
  /** `null` while the run is queued, running or wound up. */
  exitCode: z.number().int().nullable(),
  /** The other files of the report; none while the run is running. */
  files: z.array(z.string()),
  /** Files to correct that a person changed: `files` has the true ones beside them. */
  kept: z.array(z.string()),
  /** Whether those have the cells of their rows. */
  originals: z.boolean().default(true),
  /** SHA-256 of the files to correct as written, by which changed ones are found. */
  written: z.array(z.string()),
});

export type Summary = z.infer<typeof summarySchema>;

/** As the ledger counted them at the moment `now`. */
export function summarize(run: Run, now: Date): Summary {
  const settled = countSettled(run.outcomes);
  const pending = pendingRows(run);
  return {
    run: run.id,
    ...asOfRunSchema.parse(run),
    operation: nameOf(run.operation),
    source: readAsSchema.parse(run.source),
    request: run.request ?? null,
    problem: run.problem ?? null,
    plan: run.plan ?? null,
    unusual: unusualOf(run),
    sealed: run.dataKey !== undefined,
    purged: run.purged ?? null,
    // In jobs with groups, outcomes don't count the records.
    records: run.chunkEnds === null ? acceptedRows(run.outcomes) : null,
    settled,
    pending,
    controlTotal: {
      rows: run.rows,
      settled,
      pending,
      holds: isOver(run) || run.state === 'finished' ? pending === 0 : pending >= 0,
    },
    writtenAt: now.toISOString(),
    rowsPerSecond: rowsPerSecond(run, settled - run.outcomes.cancelled, now),
    topErrors: [],
    causes: [],
    topWarnings: [],
    account: null,
    audit: null,
    exitCode: isMoving(run) ? null : exitCodeOf(run),
    files: [],
    kept: [],
    originals: true,
    written: [],
  };
}

/** Whoever approves a run sees that, too. */
function unusualOf({ unusual, letGo, approval }: Run): Summary['unusual'] {
  return unusual === undefined ? null : { ...unusual, letGo: letGo ?? approval };
}

type Written = Pick<Summary, 'files' | 'kept' | 'written'> &
  Partial<Pick<Summary, 'account' | 'audit' | 'originals'>> & { readonly digest: Digest };

const CAUSES_NAMED = 20;

/** Once a run is over, its lines must be what the ledger counted. */
export function withWritten(
  summary: Summary,
  { digest, account = null, audit = null, ...files }: Written,
): Summary {
  const { records, topErrors, topWarnings } = digest;
  const causes = digest.causes
    .filter(({ text }) => text !== UNTOLD && text !== '')
    .slice(0, CAUSES_NAMED)
    .map(({ outcome, code, text, fields, quoted, issues, count, examples }) => {
      return { outcome, code, text, fields, quoted, issues, count, rows: examples.map(({ row }) => row) };
    });
  const whole = { ...summary, account, audit, records, topErrors, causes, topWarnings, ...files };
  const agrees = OUTCOMES.every((outcome) => digest.outcomes[outcome] === summary.outcomes[outcome]);
  const mustAgree = summary.state === 'finished' || (summary.state === 'cancelled' && summary.pending === 0);
  if (agrees || !mustAgree) return whole;
  return { ...whole, controlTotal: { ...summary.controlTotal, holds: false }, exitCode: EXIT.notStarted };
}

function rowsPerSecond(run: Run, settled: number, now: Date): number {
  if (run.startedAt === null) return 0;
  const end = run.finishedAt === null ? now.getTime() : Date.parse(run.finishedAt);
  const seconds = (end - Date.parse(run.startedAt)) / 1000;
  return seconds > 0 ? Math.round((settled / seconds) * 10) / 10 : 0;
}
