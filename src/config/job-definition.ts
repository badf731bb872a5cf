import { z } from 'zod';
import { IDENTITY, operationSchema } from '../model/operation.ts';
import { lookupSchema } from './lookup-settings.ts';

const column = z.string().min(1).describe('A column of the file, as its header names it.');

/** How a column becomes a request field; the field's own type decides where `as` is left out. */
export const fieldSourceSchema = z.union([
  column,
  z
    .strictObject({
      column,
      as: z
        .enum(['string', 'boolean', 'integer', 'number', 'date', 'country', 'list'])
        .optional()
        .describe("The conversion; by default the field's own type decides."),
      pattern: z
        .string()
        .optional()
        .describe('For `as: date`: dd, MM, yyyy, HH, mm, ss, SSS and literal characters, e.g. dd/MM/yyyy.'),
      decimal: z.enum(['.', ',']).optional().describe('For numbers: the decimal sign.'),
      grouping: z
        .enum([',', '.', ' ', "'"])
        .optional()
        .describe('For numbers: the sign between groups of three digits.'),
      true: z
        .array(z.string())
        .min(1)
        .optional()
        .describe('For booleans: cells that mean true, exactly as written.'),
      false: z
        .array(z.string())
        .min(1)
        .optional()
        .describe('For booleans: cells that mean false, exactly as written.'),
    })
    .describe('A column with its conversion.'),
  z
    .strictObject({ value: z.union([z.string(), z.number(), z.boolean()]) })
    .describe('A constant, the same for every row.'),
]);
export type FieldSource = z.infer<typeof fieldSourceSchema>;

export const formatSchema = z.strictObject({
  type: z
    .enum(['auto', 'csv', 'json', 'ndjson'])
    .default('auto')
    .describe('`auto`: by the name and the first bytes.'),
  encoding: z.enum(['auto', 'utf-8']).default('auto').describe('The text encoding.'),
  delimiter: z
    .union([z.literal('auto'), z.string().length(1), z.literal('\\t')])
    .default('auto')
    .describe('CSV: one character; `auto` finds `,` `;` tab and `|`.'),
  quote: z.string().length(1).default('"').describe('CSV: the quote character.'),
  trim: z.boolean().default(false).describe('Take spaces off both ends of every cell.'),
});
export type Format = z.infer<typeof formatSchema>;

const DURATION = /^(\d+(?:\.\d+)?)\/(s|min|h)$/;
const PER_SECOND = { s: 1, min: 60, h: 3600 } as const;

const rateSchema = z
  .string()
  .regex(DURATION, 'expected a number per s, min or h, for example 50/s')
  .refine((rate) => ratePerSecond(rate) > 0, 'expected more than 0')
  .describe('Requests per second, minute or hour over all workers together, e.g. 50/s.');

/** Requests per second of a `send.rate`. */
export function ratePerSecond(rate: string): number {
  const [, amount = '', unit = 's'] = DURATION.exec(rate) ?? [];
  return Number(amount) / (unit === 's' || unit === 'min' || unit === 'h' ? PER_SECOND[unit] : 1);
}

export const sendSchema = z.strictObject({
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(20)
    .describe('Requests in flight at once, per worker process.'),
  rate: rateSchema.optional(),
  timeoutSeconds: z.number().positive().max(600).default(30).describe('The longest one attempt may take.'),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(50)
    .default(5)
    .describe('Attempts per row, where another attempt is safe.'),
  awayMinutes: z
    .number()
    .positive()
    .default(10)
    .describe('The run pauses after this long with transient failures only: the service is away.'),
  notExecuted: z
    .array(z.literal(503))
    .default([])
    .describe(
      'Statuses that your service gives only where it did not carry the request out, even without Retry-After.',
    ),
});
export type SendSettings = z.infer<typeof sendSchema>;

const stopAfterSchema = z
  .union([
    z.number().int().positive(),
    z.string().regex(/^(100|[1-9]?\d(\.\d+)?)%$/, 'expected a count or a percentage such as 20%'),
  ])
  .describe('Stop the run when this many rows, or this share of the rows so far, did not succeed.');

const settingsSchema = z.strictObject({
  operation: operationSchema.describe('What each row asks of the service.'),
  files: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Patterns of the inbox files that this job takes.'),
  key: z
    .string()
    .min(1)
    .optional()
    .describe("The column of the row's own external key. Left out: the file's sha256 and the row number."),
  format: formatSchema.prefault({}).describe('How the file is read.'),
  fields: z
    .record(z.string(), fieldSourceSchema)
    .default({})
    .describe('Request field ← column. A header that already is a field path maps itself.'),
  ignore: z.array(z.string()).default([]).describe('Columns that are not sent.'),
  required: z.array(z.string()).default([]).describe('Fields without which a row is invalid.'),
  emptyCell: z
    .union([z.enum(['omit', 'null']), z.null().transform(() => 'null' as const)]) // `null` in YAML is no string
    .default('omit')
    .describe('What an empty cell becomes.'),
  onKnownKey: z
    .enum(['skip', 'update', 'fail'])
    .default('skip')
    .describe('The key is already in the ledger.'),
  onUnknownOutcome: z
    .enum(['hold', 'retry'])
    .default('hold')
    .describe('`retry` sends a create again whose outcome is unknown: it can create twice.'),
  send: sendSchema.prefault({}).describe('How requests are sent.'),
  lookup: lookupSchema.optional(),
  stopAfter: stopAfterSchema.optional(),
  query: z
    .record(z.string(), z.string())
    .default({})
    .describe('Query parameters, passed through as they stand.'),
});

/** A job definition (DESIGN.md, section 4); the file's name is the job's name. */
export const jobDefinitionSchema = settingsSchema
  .refine(({ operation, onKnownKey }) => onKnownKey !== 'update' || operation !== 'counterparty.draft', {
    path: ['onKnownKey'],
    message: 'expected skip or fail: the interface shows no update of a counterparty draft',
  })
  .refine(({ operation, lookup }) => lookup === undefined || IDENTITY[operation] !== null, {
    path: ['lookup'],
    message: 'expected no look-up: this operation creates nothing, so no row of it is ever in doubt',
  })
  .refine(({ key, lookup }) => lookup === undefined || key !== undefined, {
    path: ['key'],
    message: 'expected a column, since a row without a key cannot be looked up',
  });
export type JobDefinition = z.infer<typeof jobDefinitionSchema>;

/** A job definition with the name it goes by. */
export const jobSchema = z.object({ name: z.string(), definition: jobDefinitionSchema });
export type Job = z.infer<typeof jobSchema>;
