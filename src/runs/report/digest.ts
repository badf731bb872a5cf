/**
 * A run's digest, as `digest.json` has it, counted in one pass over its chunks; the summary,
 * report.html and the page are views of it. Bounded, and without personal data but keys.
 */
import { z } from 'zod';
import { columnsOf, type JobDefinition } from '../../config/job-definition.ts';
import { keptIssueSchema } from '../../model/issue.ts';
import {
  countSettled,
  OUTCOMES,
  type Outcome,
  outcomeCountsSchema,
  outcomeSchema,
  REMAINDER,
  wasAccepted,
} from '../../model/outcome.ts';
import { profileSchema } from '../../model/profile.ts';
import type { Run } from '../../model/run.ts';
import type { SettledChunk, Settlement } from '../../model/settlement.ts';
import {
  type CauseTerms,
  type CountedCause,
  causeId,
  createCauseTally,
  type NamedRow,
  namedRow,
  toldOf,
} from './causes.ts';
import { countPlace, noPlaces } from './places.ts';
import type { RemainderRow } from './remainder.ts';
import { type Advising, adviceIn } from './results.ts';
import { createTally } from './tally.ts';
import { createTimeline, latencySchema, momentSchema } from './timeline.ts';

const count = z.number().int().nonnegative();
const rowNumber = z.number().int().positive();

const namedRowSchema = z.object({ row: rowNumber, line: count, key: z.string() });

export const causeSchema = z.object({
  /** Of outcome, code and text: the same in every run. */
  id: z.string(),
  outcome: outcomeSchema,
  code: z.string(),
  /** What is wrong in rows that were not sent. */
  issues: z.array(keptIssueSchema),
  /** Empty: the service said nothing; UNTOLD: its words must not be shown. */
  text: z.string(),
  /** `columns`: the file's columns behind the fields. */
  words: z.string(),
  fields: z.array(z.string()),
  /** The words are the service's. */
  quoted: z.boolean(),
  columns: z.array(z.string()),
  advice: z.string(),
  count,
  first: rowNumber,
  last: rowNumber,
  examples: z.array(namedRowSchema),
  where: z.array(count),
});
export type Cause = z.infer<typeof causeSchema>;

const countedSchema = z.object({
  code: z.string(),
  column: z.string().optional(),
  count,
  exampleRow: rowNumber,
});

export const digestSchema = z.object({
  run: z.string(),
  /** Rows of the file, and how many of them have an outcome. */
  rows: count,
  read: count,
  outcomes: outcomeCountsSchema,
  /** Neighbouring rows that were accepted with one key and one id are one record. */
  records: count,
  /** Rows with each outcome by part of the file: at most 100 parts of equal size. */
  where: z.partialRecord(outcomeSchema, z.array(count)),
  topErrors: z.array(countedSchema.extend({ outcome: outcomeSchema, advice: z.string() })),
  /** Commonest first. `others`: rows with a cause that is not listed. */
  causes: z.array(causeSchema),
  others: count,
  topWarnings: z.array(countedSchema),
  /** Rows of chunks that were open count in neither. `null`: nothing was sent. */
  latency: latencySchema.nullable(),
  moments: z.array(momentSchema),
  /** HTTP statuses of last attempts, commonest first; 0: no answer. */
  statuses: z.array(z.object({ status: count, rows: count })),
  /** The first rows that need a person, those in doubt first. */
  needing: z.array(
    namedRowSchema.extend({ outcome: outcomeSchema, code: z.string(), why: z.string(), quoted: z.boolean() }),
  ),
  /** Of the file, no values; absent: it was compared with none. */
  profile: profileSchema.optional(),
});
export type Digest = z.infer<typeof digestSchema>;

/** Rows that need a person, as their list counts them. */
export function needingRows({ outcomes }: Pick<Digest, 'outcomes'>): number {
  return OUTCOMES.reduce((sum, outcome) => sum + (REMAINDER[outcome] === 'none' ? 0 : outcomes[outcome]), 0);
}

type DigestOptions = {
  readonly run: Run;
  readonly fields: CauseTerms['fields'];
  readonly publicColumns?: CauseTerms['publicColumns'];
  readonly advising: Advising;
  /** `null`: the ledger no longer has it. */
  readonly definition: Pick<JobDefinition, 'fields'> | null;
};

export type DigestTally = ReturnType<typeof createDigestTally>;

const NEEDING = ['in-doubt', 'rejected', 'denied', 'failed', 'invalid'] as const satisfies readonly Outcome[];
const NEEDING_ROWS = 300;
const TOP_ERRORS = 10;
const MAX_CAUSES = 200;

type Needing = {
  readonly named: NamedRow;
  readonly code: string;
  readonly cause: CountedCause;
};

export function createDigestTally({ run, fields, publicColumns, advising, definition }: DigestOptions) {
  const { rows } = run;
  const { columns } = run.source;
  const places = new Map<Outcome, Uint32Array>();
  const placesOf = (outcome: Outcome) => {
    const known = places.get(outcome) ?? noPlaces(rows);
    places.set(outcome, known);
    return known;
  };
  const tally = createTally();
  const records = createRecordCount();
  const statuses = new Uint32Array(STATUSES);
  const timeline = createTimeline(Date.parse(run.startedAt ?? run.createdAt));
  const causes = createCauseTally({ columns, fields, publicColumns }, rows);
  const needing = new Map<Outcome, Needing[]>(NEEDING.map((outcome) => [outcome, []]));
  return {
    add(chunk: SettledChunk) {
      timeline.add(chunk);
      for (const settlement of chunk.settlements) {
        records.add(settlement);
        tally.add(settlement);
        const { row, outcome, attempts, status } = settlement;
        countPlace(placesOf(outcome), row, rows);
        if (attempts > 0) statuses[status] = (statuses[status] ?? 0) + 1;
      }
    },
    /** In addition, each row that did not succeed. */
    addUnsuccessful(row: RemainderRow) {
      const { settlement } = row;
      const cause = causes.add(row);
      const list = needing.get(settlement.outcome);
      if (list !== undefined && list.length < NEEDING_ROWS)
        list.push({ named: namedRow(settlement), code: settlement.code, cause });
    },
    digest(): Digest {
      const all = causes.told();
      const outcomes = tally.outcomes();
      const rowsNeeding = NEEDING.flatMap((outcome) => needing.get(outcome) ?? []).slice(0, NEEDING_ROWS);
      return {
        run: run.id,
        rows,
        read: countSettled(outcomes),
        outcomes,
        records: records.count(),
        ...(run.profile !== undefined && { profile: run.profile }),
        where: Object.fromEntries([...places].map(([outcome, counts]) => [outcome, [...counts]])),
        topErrors: tally
          .errors()
          .slice(0, TOP_ERRORS)
          .map((error) => ({ ...withColumn(error), advice: adviceIn(error, advising) })),
        causes: all.slice(0, MAX_CAUSES).map((cause) => told(cause, { advising, definition, columns })),
        others: all.slice(MAX_CAUSES).reduce((sum, one) => sum + one.count, 0),
        topWarnings: tally.warnings().map(withColumn),
        latency: timeline.latency(),
        statuses: commonest(statuses),
        moments: [...timeline.moments()],
        needing: rowsNeeding.map(({ named, code, cause }) => {
          const { outcome, said } = cause;
          return { ...named, outcome, code, why: whyOf(cause), quoted: said.quoted };
        }),
      };
    },
  };
}

function withColumn<Kind extends { readonly column: string | null }>({ column, ...counted }: Kind) {
  return { ...counted, ...(column !== null && { column }) };
}

/** Empty where only the code may be shown. */
function whyOf(cause: CountedCause): string {
  const { fields, words } = toldOf(cause);
  return [fields.join(', '), words].filter((part) => part !== '').join(': ');
}

function createRecordCount() {
  let last: Pick<Settlement, 'row' | 'key' | 'id'> | null = null;
  let lastRow = 0;
  let records = 0;
  return {
    add(settlement: Settlement) {
      const { row, id, outcome, keyDigest: key = settlement.key } = settlement;
      if (row <= lastRow)
        throw new Error(`the ledger gave row ${row} after row ${lastRow}: expected each row once, in order`);
      lastRow = row;
      if (!wasAccepted(outcome)) return;
      const isSame = last !== null && row === last.row + 1 && key === last.key && id === last.id;
      if (!isSame || key === '' || id === '') records += 1;
      last = { row, key, id };
    },
    count: () => records,
  };
}

/** One more than the largest status; 0: no answer. */
const STATUSES = 1_000;

function commonest(statuses: Uint32Array): Digest['statuses'] {
  return [...statuses]
    .map((rows, status) => ({ status, rows }))
    .filter((one) => one.rows > 0)
    .sort((a, b) => b.rows - a.rows || a.status - b.status);
}

type Naming = Pick<DigestOptions, 'advising' | 'definition'> & { readonly columns: readonly string[] };

function told(cause: CountedCause, { advising, definition, columns }: Naming): Cause {
  const { outcome, code, said, issues, first, last, examples, places } = cause;
  const { text, words, fields, quoted } = said;
  const named = fields.flatMap((field) => columnsFilling(field, definition, columns));
  const wrong = issues[0]?.column ?? null;
  return {
    id: causeId(cause, said),
    outcome,
    code,
    issues: [...issues],
    text,
    words,
    fields: [...fields],
    quoted,
    columns: [...new Set(wrong === null ? named : [wrong])].slice(0, COLUMNS_NAMED),
    advice: adviceIn({ code, outcome }, advising),
    count: cause.count,
    first,
    last,
    examples: [...examples],
    where: [...places],
  };
}

const COLUMNS_NAMED = 5;

/** The file's columns of a request's field such as `accounts[].iban`. */
function columnsFilling(
  field: string,
  definition: DigestOptions['definition'],
  columns: readonly string[],
): readonly string[] {
  const isIt = (path: string) => path.replaceAll(/\[\d+\]|\.\d+(?=\.|$)/g, '[]') === field;
  const mapped = Object.entries(definition?.fields ?? {}).filter(([path]) => isIt(path));
  return [...mapped.flatMap(([, from]) => columnsOf(from)), ...columns.filter(isIt)];
}
