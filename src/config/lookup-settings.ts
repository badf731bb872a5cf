import { z } from 'zod';
import { isJsonPointer } from '../lib/json-pointer.ts';

const pointer = z.string().refine(isJsonPointer, 'expected a JSON pointer such as /items/0 (RFC 6901)');

/** One or more `{key}`, and nothing that HTTP can't carry or that would end the path. */
const LOOKUP_PATH = /^\/(?:[!-~](?<![#{}])|\{key\})*\{key\}(?:[!-~](?<![#{}])|\{key\})*$/;

/** How a row in doubt is looked up at the service, by its key (the setting `lookup`). */
export const lookupSchema = z
  .strictObject({
    path: z
      .string()
      .regex(LOOKUP_PATH, 'expected a path with {key} in it, such as /v1/things?ref={key}')
      .describe("What is asked with GET, below the base URL; `{key}` is the row's key, percent-encoded."),
    match: pointer.describe('JSON pointer to the list of matches in the answer, or to the one object.'),
    id: pointer.describe('JSON pointer within a match to its id.'),
    absence: z
      .enum(['unknown', 'proof'])
      .default('unknown')
      .describe('`proof`: a record that is not found was not created. Else the row stays in doubt.'),
    afterSeconds: z
      .number()
      .nonnegative()
      .max(3600)
      .default(10)
      .describe('How long after the doubt the service is asked: a create may still be under way.'),
  })
  .describe('Where your service tells by key whether a record is there: rows in doubt are looked up.');
export type LookupSettings = z.infer<typeof lookupSchema>;
