/**
 * From the first rows of a file to a job definition: what `onboard map` prints, and what the page
 * begins with and changes. The file is read once, as far as a proposal needs it.
 */
import { basename } from 'node:path';
import type { Format } from '../config/job-definition.ts';
import { readSample, type Sample, surveyFile } from '../intake/survey.ts';
import { UsageError } from '../lib/usage-error.ts';
import { recordLists } from '../mapping/bind-fields.ts';
import { jobYaml } from '../mapping/proposal/job-yaml.ts';
import { type JobProposal, proposeJob } from '../mapping/proposal/propose-job.ts';
import { createFieldLookup } from '../mapping/request-field.ts';
import { type BuiltIn, OPERATIONS } from '../model/operation.ts';
import { isTable, sourceWords } from '../model/source.ts';
import { fieldCatalog, pathFieldOf } from '../service/operations.ts';

export const PURPOSES: Readonly<Record<BuiltIn, string>> = {
  'subclient.create': 'creates a subclient, a legal entity to onboard',
  'subclient.update': 'changes a subclient, by the id that the service gave it',
  'subclient.upsert': 'creates a subclient where its key is new, changes it where the key is known',
  'counterparty.draft': 'saves a counterparty, a payee, as a draft',
  'payment.documents': 'lists the documents attached to a payment',
};

const ROWS = 200;

/** The first rows of a file, with the columns of all rows. */
export type FileSample = Sample & {
  readonly file: string;
  /** Settings without which the file would be read otherwise. */
  readonly format: Partial<Format>;
};

/** A UsageError where nothing is there to go by. */
export async function sampleFile(
  file: string,
  format: Format,
  given: Partial<Format> = {},
): Promise<FileSample> {
  const sample = await readSample(file, format, ROWS);
  const source = isTable(sample.source) ? sample.source : (await surveyFile(file, format)).source;
  if (source.columns.length === 0) {
    throw new UsageError(
      `${file}: has no records: expected at least one, since a proposal goes by the names of their members; export it again`,
    );
  }
  return { ...sample, source: { ...sample.source, columns: source.columns }, file, format: given };
}

/** A UsageError where the file is one object with lists: each item would be a field of its own. */
export function proposeFor({ file, source, rows }: FileSample, operation: BuiltIn): JobProposal {
  const catalog = fieldCatalog(operation);
  const pathField = pathFieldOf(operation);
  const settings = recordLists(source, createFieldLookup(catalog, pathField)).map(
    ({ pointer }) => `format.records: ${pointer}`,
  );
  if (settings.length === 0) return proposeJob({ operation, catalog, pathField, source, rows });
  throw new UsageError(
    `${file}: is one object with a list in it that is no field of ${operation}: expected to be told which list holds the records; set ${settings.join(' or ')}, or, where the object itself is the record, put it into a list: [ … ]`,
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

export function proposalText(proposal: JobProposal, { file, source, rows, format }: FileSample): string {
  return jobYaml(proposal, {
    file: basename(file),
    understood: sourceWords(source),
    rows: rows.length,
    format,
  });
}
