/**
 * `onboard completion`: the script by which a shell completes commands, flags, jobs and runs, and
 * what that script asks. An answer that can't be given is none: a shell shows no error.
 */
import { getCompletionScript, log, logFiles, parseEnv, type SupportedShell } from '@pnpm/tabtab';
import { Argument, type Command, type Option } from 'commander';
import { readEnvironment } from '../../config/environment.ts';
import { listJobs } from '../../config/load-job.ts';
import { type Io, say, sayContent } from '../../lib/terminal.ts';
import { LATEST } from '../../runs/status.ts';
import { withKnownLedger } from '../../session.ts';
import type { AddCommand } from './command.ts';

const SHELLS: readonly SupportedShell[] = ['bash', 'zsh'];
const RUNS_SHOWN = 20;

export const addCompletionCommand: AddCommand = (program, io, done) => {
  program
    .command('completion')
    .description('Print the script by which bash or zsh completes commands, flags, jobs and runs')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText('after', EXAMPLE)
    .action(async (named: string) => {
      const shell = shellOf(named);
      sayContent(io, await getCompletionScript({ name: 'onboard', completer: 'onboard', shell }));
      done(0);
    });
  // As the script calls it.
  program
    .command('completion-server', { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .action(async () => {
      const answers = await answersFor(program, io).catch(() => []);
      const shell = shellOf(io.env.SHELL);
      // Bash completes files by itself where it is told of nothing.
      if (answers === null && shell === 'zsh') logFiles();
      log((answers ?? []).map(shown), shell, (line) => say(io, line));
      done(0);
    });
};

const EXAMPLE = `
Examples:
  onboard completion bash > ~/.onboard-completion && echo 'source ~/.onboard-completion' >> ~/.bashrc
  onboard completion zsh > ~/.onboard-completion && echo 'source ~/.onboard-completion' >> ~/.zshrc

In zsh after compinit. The shell finds \`onboard\` by its PATH (npm link).`;

function shellOf(name = ''): SupportedShell {
  return SHELLS.find((shell) => name.endsWith(shell)) ?? 'bash';
}

type Answer = { readonly name: string; readonly description?: string };

function shown({ name, description = '' }: Answer) {
  return { name, description };
}

/** `null`: names of files, which the shell knows. */
async function answersFor(program: Command, io: Io): Promise<readonly Answer[] | null> {
  const { partial } = parseEnv(io.env);
  const [named, ...words] = partial.trimStart().split(/\s+/).slice(1);
  const last = words.pop();
  const isVisible = (command: Command) => program.createHelp().visibleCommands(program).includes(command);
  const commands = program.commands.filter(isVisible);
  if (last === undefined)
    return commands.map((command) => ({ name: command.name(), description: command.description() }));
  const command = commands.find((one) => one.name() === named);
  if (command === undefined) return [];
  const before = words.at(-1) ?? '';
  const option = command.options.find(({ long }) => long === before);
  if (option !== undefined && takesValue(option)) return namesOf(option.argChoices);
  if (last.startsWith('-'))
    return command.options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : []));
  const argument = argumentAt(command, words);
  if (argument?.name() === 'run') return namesOf(await runsIn(io));
  // A job is given beside its files, or by --job-file.
  if (argument?.name() === 'job') return namesOf(await listJobs(readEnvironment(io.env).jobsDirectory));
  return namesOf(argument?.argChoices);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function namesOf(names: readonly string[] | undefined): readonly Answer[] | null {
  return names?.map((name) => ({ name })) ?? null;
}

/** What comes after these words. */
function argumentAt({ registeredArguments: all, options }: Command, words: readonly string[]) {
  const isValue = (i: number) => options.some((one) => takesValue(one) && one.long === words[i - 1]);
  const given = words.filter((word, i) => !word.startsWith('-') && !isValue(i)).length;
  const last = all.at(-1);
  return all[given] ?? (last?.variadic === true ? last : undefined);
}

/** Newest first. */
async function runsIn(io: Io): Promise<readonly string[]> {
  const newest = await withKnownLedger(
    io,
    ({ ledger }) => ledger.index.latest(RUNS_SHOWN),
    () => [],
  );
  return [LATEST, ...newest.map(({ run }) => run)];
}
