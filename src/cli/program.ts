/**
 * The command line: its commands, its help, and what an error means for the exit status. `runProgram` is all of
 * `onboard` but the process.
 */
import { Command, CommanderError, Help } from 'commander';
import { messageOf } from '../lib/errors.ts';
import { type Io, printableLines, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { programVersion } from '../lib/version.ts';
import { EXIT } from '../model/exit.ts';
import { BrokenOffError } from '../runs/execute.ts';
import { refusalWords } from '../runs/redis-wait.ts';
import { addCheckCommand } from './check.ts';
import type { AddCommand } from './command.ts';
import { addCancelCommand, addPauseCommand, addResumeCommand } from './control.ts';
import { addDoctorCommand } from './doctor.ts';
import { addMapCommand } from './map.ts';
import { addPreviewCommand } from './preview.ts';
import { addRerunCommand } from './rerun.ts';
import { addResolveCommand } from './resolve.ts';
import { addRunCommand } from './run.ts';
import { addSandboxCommand } from './sandbox.ts';
import { addSchemaCommand } from './schema.ts';
import { addStartCommand, addWatchCommand, addWorkCommand } from './start.ts';
import { addReportCommand, addRunsCommand, addStatusCommand } from './status.ts';
import { addTemplateCommand } from './template.ts';

const COMMANDS: readonly AddCommand[] = [
  addRunCommand,
  addPreviewCommand,
  addCheckCommand,
  addStartCommand,
  addWatchCommand,
  addWorkCommand,
  addRunsCommand,
  addStatusCommand,
  addReportCommand,
  addRerunCommand,
  addResolveCommand,
  addPauseCommand,
  addResumeCommand,
  addCancelCommand,
  addTemplateCommand,
  addMapCommand,
  addSchemaCommand,
  addSandboxCommand,
  addDoctorCommand,
];

/** Executes one command line and answers its exit status. */
export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = createProgram(io, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, io);
  }
}

function createProgram(io: Io, done: (exitCode: number) => void): Command {
  const program = new Command('onboard')
    .description(
      'Loads partner portfolios into a money-services API: every row sent at most once, every row accounted for.',
    )
    .version(programVersion())
    .showHelpAfterError('(onboard --help shows what there is)')
    .showSuggestionAfterError()
    .exitOverride()
    .configureHelp(HELP_STYLE)
    .configureOutput({
      writeOut: (text) => io.stdout.write(printableLines(text)),
      writeErr: (text) => io.stderr.write(printableLines(text)),
      // Commander's own line breaks stand at the end and before its suggestion; any other one was typed.
      outputError: (text, write) => write(text.replaceAll(/\n(?!$|\(Did you mean)/g, '\\n')),
    })
    .addHelpText('after', HELP);
  for (const add of COMMANDS) add(program, io, done);
  for (const command of program.commands) command.copyInheritedSettings(program);
  return program;
}

const plainHelp = new Help();
const HELP_STYLE: Partial<Help> = {
  optionDescription: (option) => withoutEmptyDefault(plainHelp.optionDescription(option)),
  argumentDescription: (argument) => withoutEmptyDefault(plainHelp.argumentDescription(argument)),
};

function withoutEmptyDefault(description: string): string {
  return description.replace(/ \(default: (\[\]|"")\)$/, '');
}

function explain(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.notStarted;
  if (error instanceof UsageError) {
    tell(io, ...error.problems.map((problem) => `onboard: ${problem}`));
    return EXIT.notStarted;
  }
  const refusal = refusalWords(error);
  if (refusal !== null) {
    tell(io, `onboard: ${refusal}`);
    return EXIT.notStarted;
  }
  if (error instanceof BrokenOffError && error.isLost) {
    tell(io, `onboard: ${error.message}`);
    return EXIT.stopped;
  }
  // Only the message: an error of Redis carries the command with its arguments, and those are rows.
  tell(io, `onboard: unexpected: ${messageOf(error)}`);
  if (io.env.LOG_LEVEL === 'debug' && error instanceof Error) tell(io, ...(error.stack ?? '').split('\n'));
  if (!(error instanceof BrokenOffError)) return EXIT.notStarted;
  tell(io, `To go on: ${io.typed}`);
  return EXIT.stopped;
}

/** Commands that have rows in flight as long as they run. */
const SENDING: readonly (string | undefined)[] = ['run', 'start', 'work', 'resume', 'rerun'];
/** Other commands mostly end sooner, and then nothing is said. */
const SILENCE_MS = 1_000;

/**
 * What the first signal is answered with, and after how many milliseconds, if the process is still there; `args` as typed after
 * `onboard`.
 */
export function interruptionNotice(
  args: readonly string[],
  deadlineMs: number,
): { readonly text: string; readonly afterMs: number } {
  const limit = `at most ${deadlineMs / 1000} s; once more ends at once`;
  const command = args.find((argument) => !argument.startsWith('-'));
  return SENDING.includes(command)
    ? { text: `Ending: rows in flight are being settled, ${limit} and leaves them in doubt.`, afterMs: 0 }
    : { text: `Ending: ${limit}.`, afterMs: SILENCE_MS };
}

const HELP = `
Example:
  onboard run subclients-create portfolio.csv --sandbox     a rehearsal: nothing leaves this machine

Environment: MSB_BASE_URL and one of MSB_TOKEN, MSB_TOKEN_FILE, MSB_TOKEN_COMMAND; REDIS_URL (unset: an embedded
server), REDIS_TLS_CA_FILE, REDIS_TLS_CERT_FILE, REDIS_TLS_KEY_FILE, REDIS_SENTINEL_USERNAME, REDIS_SENTINEL_PASSWORD;
ONBOARD_HOME (./.onboard), ONBOARD_JOBS (./jobs), ONBOARD_ACCEPT_REDIS_SETTINGS, LOG_LEVEL.

Exit status: 0 all rows succeeded or were skipped, 1 some did not, 2 stopped before the end, 3 could not start,
4 interrupted, 5 some rows are in doubt.`;
