/** The setting `send` of a job definition: how fast, how long and how often rows are sent. */
import { z } from 'zod';

const DURATION = /^(\d+(?:\.\d+)?)\/(s|min|h)$/;
const PER_SECOND = { s: 1, min: 60, h: 3600 } as const;

const rateSchema = z
  .string()
  .regex(DURATION, 'expected a number per s, min or h, for example 50/s')
  .refine((rate) => !DURATION.test(rate) || ratePerSecond(rate) > 0, 'expected more than 0')
  .describe('The most requests per second, minute or hour over all workers together, for example 50/s.');

export function ratePerSecond(rate: string): number {
  const [, amount = '', unit = 's'] = DURATION.exec(rate) ?? [];
  return Number(amount) / (unit === 's' || unit === 'min' || unit === 'h' ? PER_SECOND[unit] : 1);
}

export const sendSchema = z.strictObject({
  canary: z
    .number()
    .int()
    .min(0)
    .max(100)
    .optional()
    .describe(
      'So many rows are sent first, alone; the rest only where one of them succeeded. 0: never. Left out: 5 in ' +
        'the first run of more than 50 rows, stopped only by what concerns all rows (404, 405, 5xx, time-outs).',
    ),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(500)
    .default(20)
    .describe(
      'The most requests in flight at once, per worker process; ' +
        'within that the program finds what the service bears.',
    ),
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
    .describe(
      'The run pauses after this long with transient failures only, ' +
        'and where the service asks for a longer wait (Retry-After).',
    ),
  notExecuted: z
    .array(z.literal(503))
    .default([])
    .describe(
      'Statuses that your service gives only where it did not carry the request out, even without Retry-After.',
    ),
  requestId: z
    .string()
    .regex(/^[A-Za-z0-9-]+$/, 'expected the name of a response header, for example x-request-id')
    .toLowerCase()
    .optional()
    .describe('The response header with the service’s name for a request: reports have it of rows in doubt.'),
});

/** So long a run waits for a service that is away or asked for a pause. */
export function awayMsOf({ send }: { readonly send: { readonly awayMinutes: number } }): number {
  return send.awayMinutes * 60_000;
}
