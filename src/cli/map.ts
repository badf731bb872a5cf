import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Option } from 'commander';
import { type Format, formatSchema } from '../config/job-definition.ts';
import { readSample, type Sample } from '../intake/read-sample.ts';
import { surveyFile } from '../intake/survey.ts';
import { type Io, tell } from '../lib/io.ts';
import { makeFolder } from '../lib/make-folder.ts';
import { shellWord } from '../lib/shell-word.ts';
import { UsageError } from '../lib/usage-error.ts';
import { createFieldLookup } from '../mapping/known-field.ts';
import { jobYaml } from '../mapping/proposal/job-yaml.ts';
import { proposeJob } from '../mapping/proposal/propose-job.ts';
import { recordLists } from '../mapping/record-lists.ts';
import { OPERATIONS, type Operation } from '../model/operation.ts';
import { isTable, type SourceInfo } from '../model/source.ts';
import { fieldCatalog } from '../service/field-catalog.ts';
import { pathFieldOf } from '../service/operations.ts';
import { type AddCommand, wholeNumber } from './command.ts';
import { formatOf, inFlags, type MapFormat, sayingFlags } from './map-format.ts';
import { describeSource, tellProposal } from './map-words.ts';

type Flags = MapFormat & { readonly operation: Operation; readonly out?: string };

/** Enough to tell how dates and numbers are written; a file of any size is read as far as this. */
const ROWS = 200;
const JOB_FILE = /^[A-Za-z0-9][A-Za-z0-9._-]*\.ya?ml$/;

/** `onboard map <file> --operation <op>`: a job definition to start from. */
export const addMapCommand: AddCommand = (program, io, done) => {
  program
    .command('map')
    .description("Propose a job definition from a file's header and first rows")
    .argument('<file>', 'a file as the partner sends it')
    .addOption(
      new Option('--operation <operation>', 'what is to be done with its rows')
        .choices(OPERATIONS)
        .makeOptionMandatory(),
    )
    .option('--out <file>', 'write it there, for example jobs/partner-x.yaml; an existing file is left alone')
    .option('--delimiter <sign>', 'instead of finding it')
    .option('--encoding <name>', 'instead of finding it')
    .option('--header <line>', 'the line of the header, where title lines stand above it', wholeNumber)
    .option('--sheet <name>', 'of a workbook, instead of the first one')
    .option('--records <pointer>', 'of JSON that is one object: the list of records, for example /data/items')
    .addHelpText(
      'after',
      '\nExample:\n  onboard map portfolio.csv --operation subclient.create --out jobs/partner-x.yaml',
    )
    .action(async (file: string, flags: Flags) => {
      await map(file, flags, io);
      done(0);
    });
};

async function map(file: string, flags: Flags, io: Io): Promise<void> {
  if (flags.out !== undefined) refuseName(flags.out);
  const format = formatOf(flags);
  const { operation } = flags;
  const { source, rows, columns } = await sayingFlags(() => readFor(file, formatSchema.parse(format)));
  refuseLists(file, source, operation);
  const proposal = proposeJob({
    operation,
    catalog: fieldCatalog(operation),
    pathField: pathFieldOf(operation),
    source: { type: source.type, columns },
    rows,
  });
  const yaml = jobYaml(proposal, {
    file: basename(file),
    understood: describeSource(source),
    rows: rows.length,
    format,
  });
  if (flags.out === undefined) io.stdout.write(yaml);
  else await writeNew(flags.out, yaml);
  for (const note of source.notes) tell(io, `note: ${inFlags(note)}`);
  tellProposal(proposal, { file, out: flags.out }, io);
}

/** The first rows, and the columns of all of them. */
async function readFor(file: string, format: Format): Promise<Sample & Pick<SourceInfo, 'columns'>> {
  const sample = await readSample(file, format, ROWS);
  const { columns } = isTable(sample.source) ? sample.source : (await surveyFile(file, format)).source;
  return { ...sample, columns };
}

/** A proposal from one object that holds the records would be of the first few of them, each a field of its own. */
function refuseLists(file: string, source: SourceInfo, operation: Operation): void {
  const lookUp = createFieldLookup(fieldCatalog(operation), pathFieldOf(operation));
  const flags = recordLists(source, lookUp).map(({ pointer }) => `--records ${shellWord(pointer)}`);
  if (flags.length === 0) return;
  throw new UsageError(
    `${file}: is one object with a list of objects in it that is no field of ${operation}: expected to be told which list holds the records; give ${flags.join(' or ')}, or, where the object itself is the record, put it into a list: [ … ]`,
  );
}

/** Only a file with such a name can be named as a job. */
function refuseName(out: string): void {
  if (JOB_FILE.test(basename(out))) return;
  throw new UsageError(
    `--out ${out}: expected a job definition's name, such as jobs/partner-x.yaml: letters, digits, ".", "_" and "-"`,
  );
}

async function writeNew(out: string, yaml: string): Promise<void> {
  try {
    // Where the folder can't be made, the writing says why.
    await makeFolder(dirname(out)).catch(() => undefined);
    await writeFile(out, yaml, { flag: 'wx' });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const why =
      code === 'EEXIST'
        ? 'there is such a file already, and it is left alone: name another one, or remove it first'
        : `the file can't be written (${code})`;
    throw new UsageError(`--out ${out}: ${why}`, { cause: error });
  }
}
