/** What the interface for machines answers, as schemas: the description is made from them. */
import { z } from 'zod';
import { accountSchema } from '../../model/account.ts';
import { outcomeSchema } from '../../model/outcome.ts';
import { digestSchema } from '../../runs/report/digest.ts';
import { summarySchema } from '../../runs/report/summary.ts';

const count = z.number().int().nonnegative();
const row = z.number().int().positive();

/** As `onboard status RUN --json`, without what lies on this machine. */
export const runAnswer = summarySchema.extend({
  owner: z.enum(['alive', 'gone', 'none']),
  percent: count,
  seconds: count.nullable(),
  secondsLeft: count.nullable(),
});

export const runsAnswer = z.object({
  runs: z.array(runAnswer),
  /** For `before`, of the page that comes next. */
  next: count.nullable(),
});

export const rowsAnswer = z.object({
  rows: z.array(
    z.object({
      row,
      line: count,
      key: z.string(),
      outcome: z.union([outcomeSchema, z.literal('pending')]),
      status: count,
      id: z.string(),
      attempts: count,
      ms: z.number().nonnegative(),
      code: z.string(),
      message: z.string(),
      /** For operators, of rows that did not succeed: what the file says, by column. */
      cells: z.record(z.string(), z.string()).optional(),
    }),
  ),
  /** For `after`, of the page that comes next. */
  next: row.nullable(),
  /** The time was up there: `after` this row goes on. */
  stoppedAt: row.nullable(),
});

const standing = z.object({
  run: z.string(),
  row,
  line: count,
  key: z.string(),
  outcome: z.string(),
  code: z.string(),
});

/** As `onboard account RUN --json`. */
export const accountAnswer = accountSchema.extend({
  /** `null`: more than 1,000, which `rows` tells. */
  openRows: z.array(z.object({ row, last: standing })).nullable(),
});

export const causesAnswer = digestSchema.pick({ rows: true, read: true, causes: true, others: true });

export const jobsAnswer = z.object({
  jobs: z.array(
    z.object({
      name: z.string(),
      /** `null`: its definition has these problems. */
      operation: z.string().nullable(),
      files: z.array(z.string()),
      problems: z.array(z.string()),
    }),
  ),
});

export const uploadAnswer = z.object({ upload: z.string(), name: z.string(), bytes: count });

/** Ask again. */
export const underWayAnswer = z.object({ state: z.literal('under-way'), since: z.string() });

const issue = z.looseObject({
  row,
  line: count,
  column: z.string().nullable(),
  code: z.string(),
  expected: z.string(),
});
const plan = z.looseObject({ new: count.optional(), changed: count.optional(), unchanged: count.optional() });

/** As `onboard check --json`. */
export const checkAnswer = z.looseObject({
  state: z.literal('done'),
  rows: count,
  invalid: count,
  issuesTotal: count,
  issues: z.array(issue),
  plan: plan.nullable(),
});

export const planAnswer = z.object({
  state: z.literal('done'),
  rows: count,
  invalid: count,
  plan: plan.nullable(),
});

/** `run`: `null`: a file waits for its turn. */
export const actAnswer = z.object({ run: z.string().nullable(), words: z.string() });
