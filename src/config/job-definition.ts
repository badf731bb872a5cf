/**
 * What a job definition may say: one schema from which types, defaults, validation, the JSON Schema
 * for editors and the table of settings come. The schema of the whole is at the end.
 */

import { CronExpressionParser } from 'cron-parser';
import iconv from 'iconv-lite';
import { z } from 'zod';
import { isTimeZone, parseDailyWindow } from '../lib/daily-window.ts';
import { orElse } from '../lib/errors.ts';
import { isJsonPointer } from '../lib/json-pointer.ts';
import { parsePathPattern } from '../lib/path-pattern.ts';
import { columnsIn, parsePathTemplate } from '../lib/path-template.ts';
import { FILE_TYPES } from '../model/file-format.ts';
import { type CheckCode, severitySchema } from '../model/issue.ts';
import { keyFormSchema } from '../model/key-form.ts';
import type { Operation } from '../model/operation.ts';
import { ADOPTIONS, mayUpdate, OPERATIONS, spaceOf, specOf } from '../operations/operations.ts';
import { isOwn } from '../operations/own.ts';
import { operationOfRequest, ownRequestSchema } from './own-request.ts';
import { sendSchema } from './send-settings.ts';

const pointer = z.string().refine(isJsonPointer, 'expected a JSON pointer such as /items/0 (RFC 6901)');

/** One or more `{key}`, and nothing that HTTP can't carry or that would end the path. */
const LOOKUP_PATH = /^\/(?:[!-~](?<![#{}])|\{key\})*\{key\}(?:[!-~](?<![#{}])|\{key\})*$/;

const lookupSchema = z
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
  })
  .describe('Where your service tells by key whether a record is there: rows in doubt are looked up.');
export type LookupSettings = z.infer<typeof lookupSchema>;

const scheduleSchema = z
  .strictObject({
    cron: z
      .string()
      .refine(isCron, 'expected five cron fields (minute hour day month weekday), for example 0 22 * * *')
      .describe('Minute, hour, day of the month, month, day of the week.'),
    timezone: z
      .string()
      .refine(isTimeZone, 'expected a time zone such as Europe/London (IANA)')
      .default('UTC')
      .describe('The time zone of the schedule, by its IANA name.'),
  })
  .describe('Files wait in the inbox until then; without it they are taken as soon as they are whole.');
export type ScheduleSettings = z.infer<typeof scheduleSchema>;

function isCron(text: string): boolean {
  return (
    text.trim().split(/\s+/).length === 5 && orElse(null, () => CronExpressionParser.parse(text)) !== null
  );
}

const windowSchema = z
  .string()
  .refine(
    (text) => parseDailyWindow(text) !== null,
    'expected two times and a time zone, for example 22:00-05:00 Europe/London',
  )
  .describe(
    'The hours in which requests are sent, for example 22:00-05:00 ' +
      'Europe/London; a run pauses at their end and goes on at the next beginning.',
  );

/** More than any list of codes that a person writes down: a run keeps its definition. */
const MOST_VALUES = 2_000;

const column = z.string().min(1).describe('A column of the file, as its header names it.');

const cells = z.array(z.string()).min(1);
const scalar = z.union([z.string(), z.number(), z.boolean()]);

const convertedColumnSchema = z
  .strictObject({
    column: column.optional(),
    columns: z.array(column).min(2).optional().describe('Columns that are joined.'),
    join: z.string().optional().describe('What joins the cells.'),
    split: z.string().min(1).optional().describe('What the cell is split on.'),
    part: z
      .union([z.enum(['first', 'rest']), z.number().int().min(1).max(99)])
      .optional()
      .describe('Which part; numbers count from 1.'),
    remove: z.literal('spaces').optional().describe('Takes blanks out.'),
    default: scalar.optional().describe('What an empty cell means.'),
    as: z
      .enum(['string', 'boolean', 'integer', 'number', 'date', 'country', 'list'])
      .optional()
      .describe("The conversion; by default the field's own type decides."),
    pattern: z
      .union([z.string(), cells])
      .optional()
      .describe(
        'For `as: date`: dd, MM, MMM, yyyy, yy, HH, hh, a, mm, ss, SSS, XXX and literals, e.g. dd/MM/yyyy; ' +
          'or a list of which no two read one cell differently.',
      ),
    decimal: z
      .enum(['.', ','])
      .optional()
      .describe("For numbers: the decimal sign; groups of three may have the other, a space or '."),
    true: cells.optional().describe('For booleans: what means true.'),
    false: cells.optional().describe('For booleans: what means false.'),
    separator: z.string().length(1).optional().describe('For lists: the sign between values.'),
    values: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .refine((values) => Object.keys(values).length <= MOST_VALUES, `expected at most ${MOST_VALUES} cells`)
      .optional()
      .describe('What certain cells mean, or parts of a list; null: nothing.'),
    nothing: z
      .array(z.string())
      .max(0, 'expected [], which takes every cell as it stands; `values` says which cells are empty')
      .optional()
      .describe('[]: words for nothing, such as n/a or None, are meant as they stand in this column.'),
    numbers: z
      .literal('right')
      .optional()
      .describe("A workbook's whole numbers in this column are no damage, in the key or an identifier."),
    ref: z
      .enum(['subclient', 'counterparty'])
      .optional()
      .describe('The cell is the key of a record whose identifier the field takes.'),
  })
  .describe('A column with its conversion.');

const fieldSourceSchema = z.union([
  column,
  convertedColumnSchema.refine(isWhole, {
    message: 'expected column, or columns with join; and split with part',
    abort: true,
  }),
  z
    .strictObject({
      value: scalar.describe('A constant.'),
      when: z
        .record(column, cells)
        .refine((when) => Object.keys(when).length === 1, 'expected one column')
        .optional()
        .describe('A column and the cells, exactly as written, with which the constant is sent.'),
    })
    .describe('A constant, the same for every row, or for those that `when` names.'),
]);
export type FieldSource = z.infer<typeof fieldSourceSchema>;

function isWhole(source: z.infer<typeof convertedColumnSchema>): boolean {
  const { columns, join, split, part } = source;
  const isJoined = columns !== undefined;
  if (isJoined === (source.column !== undefined)) return false;
  return isJoined === (join !== undefined) && !split === !part;
}

export function columnsOf(source: FieldSource): readonly string[] {
  if (typeof source === 'string') return [source];
  if ('value' in source) return Object.keys(source.when ?? {});
  return [source.column ?? [], source.columns ?? []].flat();
}

const ruleSchema = z
  .strictObject({
    pattern: z.string().optional().describe('A regular expression of RE2 that the text contains.'),
    enum: z.array(scalar).min(1).optional().describe('The values that are allowed.'),
    minLength: z.number().int().min(0).optional().describe('In characters.'),
    maxLength: z.number().int().min(0).max(1_024).optional().describe('In characters; 1024 without it.'),
    minimum: z.number().optional().describe('Of a number.'),
    maximum: z.number().optional().describe('Of a number.'),
    unique: z.literal(true).optional().describe('No other row of the file has the value.'),
    level: z.enum(['error', 'warn']).optional().describe('`warn`: the row is sent.'),
    message: z.string().min(1).max(300).optional().describe('What the report says was expected.'),
  })
  .describe('What the field, as it would be sent, has to be.');
export type Rule = z.infer<typeof ruleSchema>;

const UNICODE: readonly string[] = ['utf-8', 'utf-16le', 'utf-16be'];
const NO_ENCODING =
  `expected auto, ${UNICODE.join(', ')}, or the name of another encoding, ` +
  'such as windows-1252, iso-8859-2, macintosh, shift_jis or gbk';

/** Whether files can be in it: the reader needs line ends and delimiters to be those of ASCII. */
function isEncoding(name: string): boolean {
  if (UNICODE.includes(name)) return true;
  if (/^(?:utf|ucs|cesu|unicode)/i.test(name) || !iconv.encodingExists(name)) return false;
  const ascii = 'aZ09,;|\t\r\n"';
  return iconv.encode(ascii, name).toString('latin1') === ascii;
}

export const formatSchema = z.strictObject({
  type: z
    .enum(['auto', ...FILE_TYPES])
    .default('auto')
    .describe('`auto`: by the name and the first bytes.'),
  encoding: z
    .string()
    .refine((name) => name === 'auto' || isEncoding(name), NO_ENCODING)
    .default('auto')
    .describe(
      'The text encoding, such as `windows-1252` or `iso-8859-2`; ' +
        '`auto`: utf-8, or utf-16 with a mark or by its NUL bytes.',
    ),
  header: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      'The line of the header, where title lines stand above it; 1 is the first. Workbooks: the row.',
    ),
  sheet: z.string().min(1).optional().describe('Workbooks: the name of the sheet; by default the first one.'),
  hidden: z.enum(['send', 'skip']).optional().describe('Workbooks: the fate of hidden and filtered rows.'),
  records: z
    .string()
    .refine(isJsonPointer, 'expected a JSON pointer such as /data/items (RFC 6901)')
    .optional()
    .describe('JSON: a pointer to the list of records, where the file is one object that holds it.'),
  delimiter: z
    .union([z.literal('auto'), z.string().length(1), z.literal('\\t')])
    .default('auto')
    .describe('CSV: one character; `auto` finds `,` `;` tab and `|`.'),
  quote: z.string().length(1).default('"').describe('CSV: the quote character.'),
  escape: z
    .string()
    .length(1)
    .optional()
    .describe('CSV: the sign before a quote within a quoted cell; without it, such a quote is doubled.'),
  short: z
    .literal('pad')
    .optional()
    .describe('CSV: `pad`: a line that lacks cells at its end has empty ones there.'),
  long: z
    .literal('drop')
    .optional()
    .describe('CSV: `drop`: empty cells of a line beyond the last column are left out.'),
  trim: z.boolean().default(false).describe('Take spaces off both ends of every cell.'),
});
export type Format = z.infer<typeof formatSchema>;

/** What looks damaged, and how severe that is. */
const checksSchema = z
  .strictObject({
    accounts: severitySchema
      .optional()
      .describe(
        'An IBAN, BIC, UK sort code or US routing number that is not built as such a ' +
          'number is, or whose check digits do not fit. Left out, it is error in accounts.* ' +
          'and warn elsewhere. What contradicts itself, and unknown currencies: warn.',
      ),
    damage: severitySchema
      .optional()
      .describe(
        'An identifier or key in scientific notation, what a spreadsheet shows in place of ' +
          'a value (#REF!, ####), text read in a wrong encoding, codes short of leading zeros, ' +
          'impossible dates of incorporation, countries by name. Left out, it is error in ' +
          'accounts.*, and warn elsewhere and for the last three.',
      ),
    // What is typed may have lost zeros or digits: as a key it would be another record's.
    number_cell: severitySchema
      .default('error')
      .describe('A number, date or boolean cell of a workbook where an identifier or a key is meant.'),
    same_row: z
      .enum(['error', 'warn'])
      .default('error')
      .describe(
        'Without `key`: a row that maps to the same as an earlier one of its file. `warn`: it is created, too.',
      ),
  })
  .describe('What looks damaged counts as: off, warn (sent all the same) or error (not sent).');
export type CheckSettings = z.infer<typeof checksSchema>;

export const SETTING_OF: Readonly<Record<CheckCode, keyof CheckSettings>> = {
  iban_invalid: 'accounts',
  bic_invalid: 'accounts',
  sort_code_invalid: 'accounts',
  routing_number_invalid: 'accounts',
  account_implausible: 'accounts',
  value_implausible: 'damage',
  scientific_notation: 'damage',
  spreadsheet_error: 'damage',
  rendering: 'damage',
  word_for_nothing: 'damage',
  unseen_sign: 'damage',
  lost_leading_zero: 'damage',
  mojibake: 'damage',
  number_cell: 'number_cell',
};

/** Of records that are known: their drafts can't be updated. */
const guardSchema = z
  .strictObject({
    accounts: z
      .enum(['hold', 'warn', 'off'])
      .default('warn')
      .describe(
        'A row whose key is known and that names another account than the record was created ' +
          'with, or whose key is new and whose account another payee has: hold (invalid, ' +
          '`account_changed`, `account_shared`), warn (a warning) or off.',
      ),
  })
  .describe('What is looked at before money could go elsewhere.');

const stopAfterSchema = z
  .union([
    z.number().int().positive(),
    z.string().regex(/^(100|[1-9]?\d(\.\d+)?)%$/, 'expected a count or a percentage such as 20%'),
  ])
  .describe(
    'Stop the run when this many rows, or this share of the ' +
      'rows so far, did not succeed; 100%: never. Without it, ' +
      '50 refusals alike in a row pause the run.',
  );

/** Far more than an operation has, all positions of its lists that people fill included. */
const MOST_FIELDS = 2_000;

const pathPattern = z.string().superRefine((text, context) => {
  const parsed = parsePathPattern(text);
  if (typeof parsed === 'string') context.addIssue({ code: 'custom', message: `expected ${parsed}` });
});

/** Of an operation that `request` describes. */
const DESCRIBED = 'custom';

const settingsSchema = z.strictObject({
  operation: z
    .enum([...OPERATIONS, ...ADOPTIONS, DESCRIBED])
    .describe('What each row asks of the service; `custom`: what `request` describes.'),
  request: ownRequestSchema.optional(),
  files: z
    .union([pathPattern, z.array(pathPattern)])
    .optional()
    .describe('Patterns of the files that this job takes, compared with their paths below the inbox.'),
  inbox: z
    .string()
    .min(1)
    .optional()
    .describe('A folder of its own that is watched for this job, besides ONBOARD_HOME/inbox.'),
  marker: z
    .string()
    .min(2)
    .optional()
    .describe(
      'A file is taken only once a file of its name with this ending lies beside it, for example .done.',
    ),
  decrypt: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe('A command that gets the file on standard input; its standard output is the file.'),
  schedule: scheduleSchema.optional(),
  after: z
    .union([z.string().min(1), z.array(z.string().min(1))])
    .optional()
    .describe('Jobs whose files and runs come first: a run of this job waits until theirs are over.'),
  window: windowSchema.optional(),
  key: z
    .string()
    .min(1)
    .optional()
    .describe("The column of the row's own external key. Left out: a row is known by what it maps to."),
  keyForm: keyFormSchema
    .default('loose')
    .describe(
      '`loose`: keys that differ only in capitals, leading zeros, invisible ' +
        'signs or spaces at their ends are one. `exact`: they are not.',
    ),
  format: formatSchema.prefault({}).describe('How the file is read.'),
  fields: z
    .record(z.string(), fieldSourceSchema)
    .refine((fields) => Object.keys(fields).length <= MOST_FIELDS, `expected at most ${MOST_FIELDS} fields`)
    .default({})
    .describe('Request field ← column. A header that already is a field path maps itself.'),
  rules: z
    .record(z.string(), ruleSchema)
    .default({})
    .describe('Rules of your own: request field → what it has to be.'),
  ignore: z.array(z.string()).max(10_000).default([]).describe('Columns of the file that are not sent.'),
  group: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A list field, for example accounts: adjacent rows with the same key ' +
        'are one request, and each adds its item to that list.',
    ),
  checks: checksSchema.prefault({}),
  guard: guardSchema.prefault({}),
  required: z
    .array(z.string())
    .max(MOST_FIELDS)
    .default([])
    .describe('Fields without which a row is invalid.'),
  approval: z
    .literal('required')
    .optional()
    .describe('`required`: nothing of a run is sent before somebody else than who loaded it approves it.'),
  delivery: z
    .enum(['changes', 'full'])
    .default('changes')
    .describe('What a file has: records that are new or changed, or all of them each time.'),
  unusual: z
    .enum(['pause', 'warn', 'off'])
    .default('pause')
    .describe(
      'What happens to a file that is unlike the last five of its kind: nothing of it is sent before ' +
        'somebody lets it go, it is told, or nobody looks.',
    ),
  emptyCell: z
    .union([z.enum(['omit', 'null']), z.null().transform(() => 'null' as const)]) // `null` in YAML is no string
    .prefault('omit') // a default of what is transformed is missing in the JSON Schema
    .describe('What an empty cell becomes: nothing, or null in the request.'),
  onKnownKey: z
    .enum(['skip', 'update', 'fail'])
    .default('skip')
    .describe(
      'What happens to a row whose key is already in the ledger: nothing, an update, or it is invalid.',
    ),
  send: sendSchema.prefault({}).describe('How requests are sent.'),
  report: z
    .strictObject({
      originals: z
        .boolean()
        .default(true)
        .describe(
          '`false`: no cells, and no words of the service, in files of ' +
            'the report; `onboard report RUN --originals` writes them.',
        ),
    })
    .prefault({})
    .describe('What the report has.'),
  reply: z
    .strictObject({
      serviceWords: z
        .boolean()
        .default(false)
        .describe('`true`: what the service said of a row that it refused, in the answer to the partner.'),
    })
    .prefault({})
    .describe('What `onboard reply` tells the partner.'),
  keep: z
    .enum(['done', 'none'])
    .default('done')
    .describe('`none`: a file of an inbox is removed once its run is over and no row of it is open.'),
  lookup: lookupSchema.optional(),
  stopAfter: stopAfterSchema.optional(),
  query: z
    .record(z.string(), z.string())
    .default({})
    .describe('Query parameters, passed through as they stand.'),
});

function updateProblem(definition: z.infer<typeof settingsSchema>): string | null {
  const operation = operationOf(definition);
  if (definition.onKnownKey !== 'update') return null;
  if (isOwn(operation)) return NO_OWN_UPDATE;
  if (mayUpdate(operation) || spaceOf(operation) === null) return null;
  return `expected skip or fail: the interface shows no update of ${specOf(operation).record}`;
}

const NO_OWN_UPDATE = 'expected skip or fail: nothing is known of an update of what this request makes';

/** A job definition; the file's name is the job's name. */
export const jobDefinitionSchema = settingsSchema
  .refine(({ operation, request }) => (operation === DESCRIBED) === (request !== undefined), {
    path: ['request'],
    message: 'expected with operation: custom, which it describes, and with no other',
    // Whatever asks for the operation needs it.
    abort: true,
  })
  .refine(({ request, fields }) => request?.method !== 'GET' || Object.keys(fields).length === 0, {
    path: ['fields'],
    message: 'expected none: a GET has no body; columns of its path stand in braces in request.path',
  })
  .superRefine((definition, context) => {
    const message = updateProblem(definition);
    if (message !== null) context.addIssue({ code: 'custom', path: ['onKnownKey'], message });
  })
  .refine((definition) => definition.lookup === undefined || spaceOf(operationOf(definition)) !== null, {
    path: ['lookup'],
    message: 'expected no look-up: this operation creates nothing, so no row of it is ever in doubt',
  })
  .refine((definition) => definition.checks.same_row === 'error' || isKnownByContent(definition), {
    path: ['checks', 'same_row'],
    message: 'expected error: `warn` is for a job that creates records and names no key',
  })
  .refine(({ key, guard }) => guard.accounts !== 'hold' || key !== undefined, {
    path: ['guard', 'accounts'],
    message: 'expected `warn`, or a `key`: an account is compared with those of the record that has the key',
  })
  .refine(({ key, group }) => group === undefined || key !== undefined, {
    path: ['key'],
    message: 'expected a column, since rows are grouped by their key',
  })
  .refine(({ key, lookup }) => lookup === undefined || key !== undefined, {
    path: ['key'],
    message: 'expected a column, since a row without a key cannot be looked up',
  });
export type JobDefinition = z.infer<typeof jobDefinitionSchema>;

/** Of a definition as it is written; draft 7 is what the YAML support of editors reads. */
export function jobDefinitionJsonSchema(): z.core.JSONSchema.BaseSchema {
  return {
    $id: 'urn:onboard:job-definition',
    title: 'onboard job definition',
    description:
      'Which operation to call for each row of a file, how columns become fields, and how to send.',
    ...z.toJSONSchema(jobDefinitionSchema, AS_WRITTEN),
  };
}

const AS_WRITTEN = {
  io: 'input',
  target: 'draft-07',
  override: withoutAdoptions,
} as const;

/** No file has them: a command makes their runs. */
type OfSchema = {
  readonly jsonSchema: z.core.JSONSchema.BaseSchema;
};

function withoutAdoptions({ jsonSchema }: OfSchema): void {
  const { enum: names } = jsonSchema;
  const isOurs = (name: unknown) => ADOPTIONS.some((one) => one === name);
  if (names?.some(isOurs) === true) jsonSchema.enum = names.filter((name) => !isOurs(name));
}

/** The settings that the page's form has; a definition made there has no other. */
export const formSettingsSchema = settingsSchema
  .pick({ operation: true, key: true, ignore: true, group: true, required: true })
  .extend({
    format: formatSchema.omit({ quote: true, escape: true, trim: true }).prefault({}),
    fields: z.record(z.string(), z.union([column, convertedColumnSchema.omit({ values: true })])).default({}),
    /** The strictest alone. */
    guard: z.strictObject({ accounts: z.literal('hold') }).optional(),
  });

export function operationOf({
  operation,
  request,
}: Pick<z.infer<typeof settingsSchema>, 'operation' | 'request'>): Operation {
  if (request !== undefined) return operationOfRequest(request);
  if (operation === DESCRIBED) throw new Error('operation: custom came without its request');
  return operation;
}

/** No key says which record a row is that creates one. */
export function isKnownByContent(
  definition: Pick<z.infer<typeof settingsSchema>, 'key' | 'operation' | 'request'>,
): boolean {
  return definition.key === undefined && spaceOf(operationOf(definition)) !== null;
}

export function pathColumnsOf({ request }: Pick<JobDefinition, 'request'>): readonly string[] {
  const template = request === undefined ? [] : parsePathTemplate(request.path);
  return typeof template === 'string' ? [] : columnsIn(template);
}

export function jobsBefore({ after }: Pick<JobDefinition, 'after'>): readonly string[] {
  return after === undefined ? [] : [after].flat();
}

/** A form's definition has no file. */
export type Job = { readonly name: string; readonly definition: JobDefinition; readonly file?: string };
