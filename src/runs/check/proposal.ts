/**
 * From the first rows of a file to a job definition: what `onboard map` prints, and what the page
 * begins with and changes. The file is read once, as far as a proposal needs it.
 */
import { basename } from 'node:path';
import type { Format } from '../../config/job-definition.ts';
import { fieldCatalog } from '../../delivery/service/operations.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { isTable, type ReadingChoice, type SourceInfo, sourceWords } from '../../model/source.ts';
import { type BuiltIn, OPERATIONS, pathFieldOf } from '../../operations/operations.ts';
import { asShown } from '../../readers/intake/encoding.ts';
import { ChoiceError, ShapeError } from '../../readers/intake/row-feed.ts';
import { openRows } from '../../readers/intake/rows.ts';
import { readSample, type Sample, surveyFile } from '../../readers/intake/survey.ts';
import { sheetChoices } from '../../readers/intake/xlsx/workbook.ts';
import { recordLists } from '../../readers/mapping/bind-fields.ts';
import { jobYaml } from '../../readers/mapping/proposal/job-yaml.ts';
import { type JobProposal, proposeJob, readCell } from '../../readers/mapping/proposal/propose-job.ts';
import { createFieldLookup } from '../../readers/mapping/request-field.ts';

const ROWS = 200;

/** The first rows of a file, with the columns of all rows. */
export type FileSample = Sample & {
  readonly file: string;
  /** Settings without which the file would be read otherwise. */
  readonly format: Partial<Format>;
  /** What else could be its rows: the sheets of a workbook, or the lists of an object. */
  readonly choices?: readonly ReadingChoice[];
};

/** Of a file that is one object: its only list of objects, unless that is a field. */
export async function onlyListOf(file: string, format: Format) {
  // Other files would be read twice.
  const batches = /\.json(?:\.gz)?$/i.test(file) ? openRows(file, format) : [];
  for await (const { source } of batches) {
    const [records, other] = source.recordLists ?? [];
    const isField = OPERATIONS.some((operation) => listsFor(source, operation).length === 0);
    if (records === undefined || other !== undefined || isField) break;
    const note =
      'The file is one object, and its only list is taken for the records: a job needs ' +
      `format.records: ${records} for that. ` +
      'Where the object itself is the record, set format.type: ndjson.';
    return { only: { records }, notes: [note] };
  }
  return { only: {}, notes: [] };
}

/**
 * A UsageError where nothing is there to go by: a ChoiceError where it could be read otherwise.
 * Where only lines of another width keep the file from being read, it is read with the settings
 * that read them.
 */
export async function sampleFile(
  file: string,
  typed: Format,
  given: Partial<Format> = {},
): Promise<FileSample> {
  try {
    return await sampleAsTold(file, typed, given);
  } catch (error) {
    if (error instanceof ChoiceError) throw await withSheets(file, error);
    if (!(error instanceof ShapeError) || error.settings === null) throw error;
    const format = { ...typed, ...error.settings };
    return sampleAsTold(file, format, { ...given, ...error.settings });
  }
}

/** The rows may well stand on another sheet. */
async function withSheets(file: string, error: ChoiceError): Promise<ChoiceError> {
  const sheets = await sheetChoices(file);
  if (sheets.length < 2) return error;
  return new ChoiceError(error.message, [...error.choices, ...sheets], { cause: error });
}

async function sampleAsTold(file: string, typed: Format, given: Partial<Format>): Promise<FileSample> {
  const { only, notes } = await onlyListOf(file, typed).catch(asShown);
  const format = { ...typed, ...only };
  const sample = await readSample(file, format, ROWS);
  const source = isTable(sample.source) ? sample.source : (await surveyFile(file, format)).source;
  if (source.columns.length === 0) {
    throw new UsageError(
      `${file}: has no records: expected at least one, since a proposal goes by ` +
        'the names of their members; export it again',
    );
  }
  const told = { columns: source.columns, notes: [...notes, ...sample.source.notes] };
  const choices = isTable(source) ? await sheetsOf(file, source) : listChoices(source, format);
  const settings = { ...given, ...only };
  return { ...sample, source: { ...sample.source, ...told }, file, format: settings, choices };
}

async function sheetsOf(file: string, { sheets = [] }: SourceInfo): Promise<readonly ReadingChoice[]> {
  return sheets.length > 1 ? sheetChoices(file) : [];
}

/** Where an object's lists are fields of a record, the object is one. */
function listChoices(source: SourceInfo, { records }: Format): readonly ReadingChoice[] {
  const isRecord = OPERATIONS.some((operation) => listsFor(source, operation).length === 0);
  if (records !== undefined || isRecord) return [];
  const lists = source.recordLists ?? [];
  const itself = { setting: 'type' as const, value: 'ndjson', shows: [] };
  return [...lists.map((value) => ({ setting: 'records' as const, value, shows: [] })), itself];
}

/** A UsageError where the file is one object with lists: each item would be a field of its own. */
export function proposeFor({ file, source, rows }: FileSample, operation: BuiltIn): JobProposal {
  const catalog = fieldCatalog(operation);
  const pathField = pathFieldOf(operation);
  const settings = listsFor(source, operation).map(({ pointer }) => `format.records: ${pointer}`);
  if (settings.length === 0) return proposeJob({ operation, catalog, pathField, source, rows });
  throw new UsageError(
    `${file}: is one object with a list in it that is no field of ${operation}: ` +
      `expected to be told which list holds the records; set ${settings.join(' or ')}, ` +
      'or, where the object itself is the record, format.type: ndjson',
  );
}

/** The operation that has fields for most of the columns; of several the first. */
export function likeliestOperation(sample: FileSample): BuiltIn {
  const hits = OPERATIONS.map((operation) => hitsOf(sample, operation));
  return OPERATIONS[hits.indexOf(Math.max(...hits))] ?? OPERATIONS[0];
}

/** Fields that columns spell count a little more. Without the id in its path it can't be meant. */
function hitsOf(sample: FileSample, operation: BuiltIn): number {
  try {
    const { fields, itself, missingId } = proposeFor(sample, operation);
    const decided = fields.filter(({ isDecided }) => isDecided);
    return missingId === null ? SPELLED * itself.length + decided.length : 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return 0;
  }
}

const SPELLED = 1.01;

/** What a cell would be sent as, in words; `null`: not at all. */
export function cellWords(
  operation: BuiltIn,
  column: Pick<JobProposal['fields'][number], 'field' | 'notation'>,
  cell: string,
): string | null {
  const lookUp = createFieldLookup(fieldCatalog(operation), pathFieldOf(operation));
  const value = readCell(column, cell, lookUp) ?? null;
  const isDate = typeof value === 'string' && ISO_TIME.test(value);
  if (isDate) return new Date(value).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
  return value === null ? null : String(value);
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function listsFor(source: SourceInfo, operation: BuiltIn) {
  const lookUp = createFieldLookup(fieldCatalog(operation), pathFieldOf(operation));
  return recordLists(source, lookUp);
}

export function proposalText(proposal: JobProposal, { file, source, rows, format }: FileSample): string {
  return jobYaml(proposal, {
    file: basename(file),
    understood: sourceWords(source),
    rows: rows.length,
    format,
  });
}
