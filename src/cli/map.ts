import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Option } from 'commander';
import { type Format, formatSchema } from '../config/job-definition.ts';
import { readSample } from '../intake/read-sample.ts';
import { surveyFile } from '../intake/survey.ts';
import { UsageError } from '../lib/usage-error.ts';
import { jobYaml } from '../mapping/proposal/job-yaml.ts';
import { proposeJob } from '../mapping/proposal/propose-job.ts';
import { OPERATIONS, type Operation } from '../model/operation.ts';
import { isTable } from '../model/source.ts';
import { fieldCatalog } from '../service/field-catalog.ts';
import { pathFieldOf } from '../service/operations.ts';
import { wholeNumber } from './arguments.ts';
import type { AddCommand } from './command.ts';
import type { Io } from './io.ts';
import { describeSource, tellProposal } from './map-words.ts';

type Flags = {
  readonly operation: Operation;
  readonly out?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly header?: number;
  readonly sheet?: string;
};

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
  const { source, rows } = await readSample(file, formatSchema.parse(format), ROWS);
  const { columns } = isTable(source) ? source : (await surveyFile(file, formatSchema.parse(format))).source;
  const { operation } = flags;
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
  tellProposal(proposal, { file, out: flags.out }, io);
}

function formatOf({ delimiter, encoding, header, sheet }: Flags): Partial<Format> {
  const given = Object.entries({ delimiter, encoding, header, sheet }).filter(
    ([, value]) => value !== undefined,
  );
  const format = formatSchema.partial().safeParse(Object.fromEntries(given));
  if (!format.success) {
    throw new UsageError(
      format.error.issues.map(({ path, message }) => `--${path.map(String).join('.')}: ${message}`),
    );
  }
  const named = new Set(given.map(([name]) => name));
  return Object.fromEntries(Object.entries(format.data).filter(([name]) => named.has(name)));
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
