/**
 * The command line: its commands, its help, and what an error means for the exit status. `runProgram` is all of
 * `onboard` but the process.
 */
import { Command, CommanderError, Help } from 'commander';
import { messageOf } from '../lib/errors.js';
import { printableLines, tell } from '../lib/terminal.js';
import { UsageError } from '../lib/usage-error.js';
import { programVersion } from '../lib/version.js';
import { EXIT } from '../model/exit.js';
import { BrokenOffError } from '../runs/execute.js';
import { refusalWords } from '../runs/redis-wait.js';
import { addCheckCommand } from './check.js';
import { addCancelCommand, addPauseCommand, addResumeCommand } from './control.js';
import { addDoctorCommand } from './doctor.js';
import { addMapCommand } from './map.js';
import { addPreviewCommand } from './preview.js';
import { addRerunCommand } from './rerun.js';
import { addResolveCommand } from './resolve.js';
import { addRunCommand } from './run.js';
import { addSandboxCommand } from './sandbox.js';
import { addSchemaCommand } from './schema.js';
import { addStartCommand, addWatchCommand, addWorkCommand } from './start.js';
import { addReportCommand, addRunsCommand, addStatusCommand } from './status.js';
import { addTemplateCommand } from './template.js';
const COMMANDS = [
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
export async function runProgram(args, io) {
    let exitCode = 0;
    const program = createProgram(io, (code) => {
        exitCode = code;
    });
    try {
        await program.parseAsync(args, { from: 'user' });
        return exitCode;
    }
    catch (error) {
        return explain(error, io);
    }
}
function createProgram(io, done) {
    const program = new Command('onboard')
        .description('Loads partner portfolios into a money-services API: every row sent at most once, every row accounted for.')
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
    for (const add of COMMANDS)
        add(program, io, done);
    for (const command of program.commands)
        command.copyInheritedSettings(program);
    return program;
}
const plainHelp = new Help();
const HELP_STYLE = {
    optionDescription: (option) => withoutEmptyDefault(plainHelp.optionDescription(option)),
    argumentDescription: (argument) => withoutEmptyDefault(plainHelp.argumentDescription(argument)),
};
function withoutEmptyDefault(description) {
    return description.replace(/ \(default: (\[\]|"")\)$/, '');
}
function explain(error, io) {
    if (error instanceof CommanderError)
        return error.exitCode === 0 ? 0 : EXIT.notStarted;
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
    if (io.env.LOG_LEVEL === 'debug' && error instanceof Error)
        tell(io, ...(error.stack ?? '').split('\n'));
    if (!(error instanceof BrokenOffError))
        return EXIT.notStarted;
    tell(io, `To go on: ${io.typed}`);
    return EXIT.stopped;
}
/** Commands that have rows in flight as long as they run. */
const SENDING = ['run', 'start', 'work', 'resume', 'rerun'];
/** Other commands mostly end sooner, and then nothing is said. */
const SILENCE_MS = 1_000;
/**
 * What the first signal is answered with, and after how many milliseconds, if the process is still there; `args` as typed after
 * `onboard`.
 */
export function interruptionNotice(args, deadlineMs) {
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
//# sourceMappingURL=program.js.map