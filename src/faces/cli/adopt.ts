/** `onboard adopt`: keys and ids of records that the service has already become known. */
import { Option } from 'commander';
import { type Job, operationOf } from '../../config/job-definition.ts';
import { countOf, type Io, say, sayJson, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import { isOver } from '../../model/run.ts';
import type { FileFacts } from '../../model/source.ts';
import { adoptionOf, assertAlone, assertSameColumns, undoAdoption } from '../../runs/adopt.ts';
import { createAdoption } from '../../runs/check/adoption.ts';
import { createChecker, createRowCheck, openReading } from '../../runs/check/file.ts';
import { openLook } from '../../runs/check/ledger.ts';
import { executeToEnd } from '../../runs/execute.ts';
import { loadNamed, sayingWhere } from '../../runs/input.ts';
import { beginFile } from '../../runs/register.ts';
import { writeReportOf } from '../../runs/report.ts';
import { fileRows } from '../../runs/rows.ts';
import { findRun } from '../../runs/status.ts';
import { type CommandParts, withCommand, withKnownLedger } from '../../session.ts';
import {
  ACCEPT_REDIS_SETTINGS,
  type AddCommand,
  REASON,
  type RequestFlags,
  refuseSeveral,
  requestOf,
  rowNumber,
  tellEnded,
} from './command.ts';
import { joinToRun } from './run.ts';

type Flags = RequestFlags & {
  readonly key?: string;
  readonly id: string;
  readonly dryRun?: boolean;
  readonly undo?: string;
  readonly row?: readonly number[];
  readonly again?: boolean;
  readonly sandbox?: boolean;
  readonly yes?: boolean;
  readonly acceptRedisSettings?: boolean;
  readonly json?: boolean;
};

export const addAdoptCommand: AddCommand = (program, io, done) => {
  program
    .command('adopt')
    .description('Make known the keys and ids of records that the service has already; nothing is sent')
    .argument('[job]', 'the job whose later files are to find them')
    .argument('[file]', 'one file with a column of keys and one of ids')
    .option('--key <column>', "the column with the keys; without it: the job's own")
    .option('--id <column>', "the column with the service's ids", 'id')
    .option('--dry-run', 'say what would become known, and change nothing')
    .addOption(
      new Option('--undo <run>', 'take back the keys of an adoption that no run has used').conflicts(
        'dryRun',
      ),
    )
    .option('--row <row>', 'with --undo: only this row, whose id is wrong, even if it was used', rowsNamed)
    .option('--again', 'adopt a file once more, for example after --undo')
    .option('--sandbox', 'in the ledger of the rehearsals')
    .option('--yes', 'begin even the first run of a new ledger without asking at the terminal')
    .option(...REASON)
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--json', 'print the summary as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (job: string | undefined, file: string | undefined, flags: Flags) => {
      const { undo, row } = flags;
      const isUndo = undo !== undefined;
      if (isUndo && job !== undefined)
        throw new UsageError('--undo RUN: expected no job and no file beside it');
      if (!isUndo && row !== undefined) throw new UsageError('--row: expected with --undo RUN');
      done(isUndo ? await takeBack(undo, flags, io) : await adopt(job, file, flags, io));
    });
};

async function adopt(job: string | undefined, file: string | undefined, flags: Flags, io: Io) {
  return withCommand(io, async (command) => {
    const { key, id } = flags;
    const files = file === undefined ? [] : [file];
    const { job: named, paths } = await loadNamed(command.env, {
      command: 'adopt',
      job,
      jobFile: undefined,
      files,
    });
    refuseSeveral('adopt', paths);
    const [path = ''] = paths;
    const adoption = await sayingWhere(named, () => adoptionOf(named, path, { key, id }));
    if (flags.dryRun === true) return foretell(adoption, flags, command);
    const session = await joinToRun({ job: adoption.job, files: [adoption.facts] }, flags, command);
    if (session === null) return EXIT.notStarted;
    const check = createRowCheck(session.ledger);
    const { target } = session.service;
    const again = flags.again ?? false;
    await assertSameColumns(adoption, { target, again }, session.ledger);
    const run = await beginFile({ ...adoption, target, again, check }, session);
    if (!isOver(run)) await assertAlone(run, session.ledger);
    return tellEnded(await executeToEnd(run, fileRows(adoption.facts), session), session, flags);
  });
}

function rowsNamed(text: string, before: readonly number[] = []): readonly number[] {
  return [...before, rowNumber(text)];
}

type Adoption = { readonly job: Job; readonly facts: FileFacts };

async function foretell({ job, facts }: Adoption, flags: Flags, { io, env, ...parts }: CommandParts) {
  const look = await openLook(env, flags.sandbox === true, parts);
  const adoption = createAdoption(operationOf(job.definition), look);
  await createChecker(job, look, { see: adoption.see })(await openReading(facts.path, job));
  const found = await adoption.result();
  if (flags.json === true) sayJson(io, JSON.stringify(found));
  else say(io, ...foretold(found));
  if (look.kind === 'none') tell(io, `warning: compared with no ledger, since ${look.reason}`);
  return EXIT.success;
}

function foretold({ adopted, known }: { readonly adopted: number; readonly known: number }): string[] {
  const before = known === 0 ? '' : `; ${countOf(known, 'is', 'are')} known by that id already`;
  return [
    `${countOf(adopted, 'key')} would become known${before}.`,
    'Nothing was changed; without --dry-run they become known.',
  ];
}

async function takeBack(named: string, flags: Flags, io: Io): Promise<number> {
  const request = requestOf(flags, io);
  return withKnownLedger(io, async (session) => {
    const { ledger } = session;
    const undo = { request, rows: flags.row ?? [] };
    const { back, kept, run } = await undoAdoption(await findRun(ledger, named), undo, ledger);
    const summary = await writeReportOf(run, session);
    if (flags.json === true) sayJson(io, JSON.stringify({ back, kept, summary }));
    else say(io, ...takenBack(run.id, back, kept));
    return EXIT.success;
  });
}

function takenBack(run: string, back: number, kept: number): string[] {
  const lines = [`${countOf(back, 'key')} of run ${run} ${back === 1 ? 'is' : 'are'} known no more.`];
  if (kept === 0) return lines;
  return [
    ...lines,
    `${countOf(kept, 'key stays', 'keys stay')} known: a run has used it. Where an id is wrong: --row.`,
  ];
}

const EXAMPLE = `
Examples:
  onboard adopt subclients-upsert known.csv --key externalId --id id --dry-run
  onboard adopt subclients-upsert known.csv --key externalId --id id
  onboard adopt --undo 20261121-034512-k3f9 --reason "another system's ids"
  onboard adopt --undo 20261121-034512-k3f9 --row 17 --reason "not this company"

All of the file is adopted, or nothing. The first five records that are updated go alone: the run then waits
until somebody has looked at them.`;
