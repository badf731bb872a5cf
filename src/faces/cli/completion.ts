/**
 * `onboard completion`: the script by which a shell completes commands, flags, jobs and runs, and
 * what that script asks. An answer that can't be given is none: a shell shows no error.
 */
import { getCompletionScript, log, logFiles, type SupportedShell } from '@pnpm/tabtab';
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
    .action(async (words: readonly string[]) => {
      // The place of the word at the cursor, from 0.
      const line = words.slice(0, Number(io.env.COMP_CWORD) + 1);
      const answers = await answersFor(line, program, io).catch(() => []);
      const shell = shellOf(io.env.SHELL);
      // Bash completes files by itself where it is told of nothing.
      if (answers === null && shell === 'zsh') logFiles();
      log((answers ?? []).map(shown), shell, (line) => say(io, line));
      done(0);
    });
};

const EXAMPLE = `
Examples:
  onboard completion bash > ~/.onboard-completion.bash && echo 'source ~/.onboard-completion.bash' >> ~/.bashrc
  onboard completion zsh > ~/.onboard-completion.zsh && echo 'source ~/.onboard-completion.zsh' >> ~/.zshrc

In zsh after compinit. The shell finds \`onboard\` by its PATH (npm link).`;

function shellOf(name = ''): SupportedShell {
  return SHELLS.find((shell) => name.endsWith(shell)) ?? 'bash';
}

type Answer = { readonly name: string; readonly description?: string };

function shown({ name, description = '' }: Answer) {
  return { name, description };
}

/**
 * `line`: the program's name, words as they were typed, and the one to complete; what stands before
 * the name (a variable, another command) the shells leave out. `null`: names of files, which the
 * shell knows.
 */
async function answersFor(
  line: readonly string[],
  program: Command,
  io: Io,
): Promise<readonly Answer[] | null> {
  const [named, ...words] = line.slice(1);
  const last = words.pop();
  const isVisible = (command: Command) => program.createHelp().visibleCommands(program).includes(command);
  const commands = program.commands.filter(isVisible);
  if (last === undefined)
    return commands.map((command) => ({ name: command.name(), description: command.description() }));
  const command = commands.find((one) => one.name() === named);
  if (command === undefined) return [];
  const before = words.at(-1) ?? '';
  const option = command.options.find(({ long }) => long === before);
  if (option !== undefined && takesValue(option))
    return answersOf(valueNameOf(option), option.argChoices, io);
  if (last.startsWith('-'))
    return command.options.flatMap(({ long, description }) => (long ? [{ name: long, description }] : []));
  const argument = argumentAt(command, words);
  return answersOf(argument?.name() ?? '', argument?.argChoices, io);
}

async function answersOf(what: string, choices: readonly string[] | undefined, io: Io) {
  if (what === 'run') return namesOf(await runsIn(io));
  // A job is given beside its files, or by --job-file.
  if (what === 'job') return namesOf(await listJobs(readEnvironment(io.env).jobsDirectory));
  return namesOf(choices);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

/** What its help calls it, such as `run` of `--run <run>`. */
function valueNameOf({ flags }: Option): string {
  return /<(.+)>/.exec(flags)?.[1] ?? '';
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
