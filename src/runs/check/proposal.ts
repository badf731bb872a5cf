/**
 * From the first rows of a file to a job definition: what `onboard map` prints, and what the page
 * begins with and changes. The file is read once, as far as a proposal needs it.
 */
import { basename } from 'node:path';
import type { Format } from '../../config/job-definition.ts';
import { fieldCatalog } from '../../delivery/service/operations.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { isTable, type SourceInfo, sourceWords } from '../../model/source.ts';
import { type BuiltIn, OPERATIONS, pathFieldOf } from '../../operations/operations.ts';
import { asShown } from '../../readers/intake/encoding.ts';
import { ShapeError } from '../../readers/intake/row-feed.ts';
import { openRows } from '../../readers/intake/rows.ts';
import { readSample, type Sample, surveyFile } from '../../readers/intake/survey.ts';
import { recordLists } from '../../readers/mapping/bind-fields.ts';
import { jobYaml } from '../../readers/mapping/proposal/job-yaml.ts';
import { type JobProposal, proposeJob } from '../../readers/mapping/proposal/propose-job.ts';
import { createFieldLookup } from '../../readers/mapping/request-field.ts';

const ROWS = 200;

/** The first rows of a file, with the columns of all rows. */
export type FileSample = Sample & {
  readonly file: string;
  /** Settings without which the file would be read otherwise. */
  readonly format: Partial<Format>;
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
 * A UsageError where nothing is there to go by. Where only lines of another width keep the file
 * from being read, it is read with the settings that read them.
 */
export async function sampleFile(
  file: string,
  typed: Format,
  given: Partial<Format> = {},
): Promise<FileSample> {
  try {
    return await sampleAsTold(file, typed, given);
  } catch (error) {
    if (!(error instanceof ShapeError) || error.settings === null) throw error;
    const format = { ...typed, ...error.settings };
    return sampleAsTold(file, format, { ...given, ...error.settings });
  }
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
  return { ...sample, source: { ...sample.source, ...told }, file, format: { ...given, ...only } };
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
