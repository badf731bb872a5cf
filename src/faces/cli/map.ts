/** `onboard map`: proposes a job definition from a file. */
import { writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Option } from 'commander';
import { errorCode } from '../../lib/errors.ts';
import { makeFolder } from '../../lib/make-folder.ts';
import { anywhere, countOf, type Io, sayContent, sayJson, shellWord, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { type BuiltIn, OPERATIONS, PURPOSES } from '../../operations/operations.ts';
import { ChoiceError } from '../../readers/intake/row-feed.ts';
import type { JobProposal } from '../../readers/mapping/proposal/propose-job.ts';
import { proposalText, proposeFor, sampleFile } from '../../runs/check/proposal.ts';
import { sayingWhere } from '../../runs/input.ts';
import type { AddCommand } from './command.ts';
import { ENCODING, FORMAT, readFormat, SPELLING } from './format-flag.ts';

type Flags = {
  readonly operation?: BuiltIn;
  readonly format?: readonly string[];
  readonly encoding?: string;
  readonly out?: string;
  readonly json?: boolean;
};

const JOB_FILE = /^[A-Za-z0-9][A-Za-z0-9._-]*\.ya?ml$/;

export const addMapCommand: AddCommand = (program, io, done) => {
  program
    .command('map')
    .description("Propose a job definition from a file's header and first rows")
    .argument('<file>', 'a file as the partner sends it')
    .addOption(new Option('--operation <operation>', 'what is to be done with its rows').choices(OPERATIONS))
    .option(
      '--out <file>',
      'write it there, for example jobs/partner-x.yaml; an existing file is never overwritten',
    )
    .option('--json', 'print the first rows, and what is proposed of an operation, for programs')
    .option(...FORMAT)
    .option(...ENCODING)
    .addHelpText(
      'after',
      '\nExample:\n  onboard map portfolio.csv --operation subclient.create --out jobs/partner-x.yaml',
    )
    .action(async (file: string, flags: Flags) => {
      const mapped = () => map(file, flags, io);
      await (flags.json === true ? mapped() : sayingWhere(SPELLING, mapped));
      done(0);
    });
};

async function map(file: string, flags: Flags, io: Io): Promise<void> {
  const { operation } = flags;
  if (operation === undefined && flags.json !== true) throw new UsageError(PURPOSE_MISSING);
  if (flags.out !== undefined) refuseName(flags.out);
  const { format, given } = readFormat(flags.format, flags.encoding);
  const sample = await sampleFile(file, format, given).catch((error: unknown) => {
    if (flags.json === true && error instanceof ChoiceError)
      sayJson(io, JSON.stringify({ choices: error.choices }));
    throw error;
  });
  if (operation === undefined) {
    sayJson(io, JSON.stringify(sample));
    return;
  }
  const proposal = proposeFor(sample, operation);
  if (flags.json === true) {
    sayJson(io, JSON.stringify({ ...sample, proposal }));
    return;
  }
  const yaml = SCHEMA_LINES + proposalText(proposal, sample);
  if (flags.out === undefined) sayContent(io, yaml);
  else {
    // Where the folder can't be made, the writing says why.
    await makeFolder(dirname(flags.out)).catch(() => undefined);
    await writeNewFile(flags.out, yaml);
  }
  for (const note of sample.source.notes) tell(io, `note: ${note}`);
  tellProposal(proposal, { file, out: flags.out }, io);
}

/** For editors; the schema lies in the folder above the jobs, as docs/job-definitions.md has it. */
const SCHEMA_LINES = `# yaml-language-server: $schema=../job.schema.json
# (made beside the jobs' folder: onboard schema > job.schema.json)
`;

const WIDTH = Math.max(...OPERATIONS.map((one) => one.length));
const PURPOSE_MISSING = [
  '--operation is missing. Expected what is to be done with each row, one of',
  ...PURPOSES.map(([one, purpose]) => `  ${one.padEnd(WIDTH)}  ${purpose}`),
  `  ${'custom'.padEnd(WIDTH)}  any other request: not proposed; begin with jobs/example-custom.yaml`,
];

/** Only a file with such a name can be named as a job. */
function refuseName(out: string): void {
  if (JOB_FILE.test(basename(out))) return;
  throw new UsageError(
    `--out ${out}: expected a job definition's name, such as jobs/partner-x.yaml: letters, digits, ".", "_" and "-"`,
  );
}

async function writeNewFile(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: 'wx' });
  } catch (error) {
    const code = errorCode(error) || String(error);
    const why =
      code === 'EEXIST'
        ? 'there is such a file already, and it stays as it is: name another one, or remove it first'
        : `the file can't be written (${code}): expected a folder that is there and may be written to`;
    throw new UsageError(`--out ${path}: ${why}`, { cause: error });
  }
}

function tellProposal(
  { fields, itself, open, missingId }: JobProposal,
  { file, out }: { readonly file: string; readonly out: string | undefined },
  io: Io,
): void {
  const placed = itself.length + fields.filter(({ isDecided }) => isDecided).length;
  tell(
    io,
    `${countOf(placed, 'column')} ${placed === 1 ? 'has' : 'have'} a field, ${open.length} ${open.length === 1 ? 'waits' : 'wait'} for a decision under "ignore".`,
  );
  if (missingId !== null) tell(io, `No column was found for "${missingId}", which every row needs.`);
  if (out !== undefined)
    tell(
      io,
      `Wrote ${out}. Next: onboard check --job-file ${shellWord(anywhere(out))} ${shellWord(anywhere(file))}`,
    );
}
