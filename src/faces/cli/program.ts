/** The command line: its commands, its help, and what an error means for the exit status. */
import { resolve } from 'node:path';
import { Command, CommanderError } from 'commander';
import { errorCode, errorOf, hasCode, messageOf } from '../../lib/errors.ts';
import { type Io, say, shellWord, tell } from '../../lib/terminal.ts';
import { GivenUpError, UsageError } from '../../lib/usage-error.ts';
import { programVersion } from '../../lib/version.ts';
import { EXIT } from '../../model/exit.ts';
import { homeOf } from '../../model/home.ts';
import { showSteps } from '../../runs/progress.ts';
import { BrokenOffError, refusalWords } from '../../runs/redis-wait.ts';
import type { AddCommand } from './command.ts';

type Load = () => Promise<AddCommand>;

/** As the help has them. Each is loaded where it is asked for: nobody waits for another's needs. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Load files:': {
    preview: async () => (await import('./preview.ts')).addPreviewCommand,
    check: async () => (await import('./check.ts')).addCheckCommand,
    try: async () => (await import('./try.ts')).addTryCommand,
    run: async () => (await import('./run.ts')).addRunCommand,
    adopt: async () => (await import('./adopt.ts')).addAdoptCommand,
    rerun: async () => (await import('./control.ts')).addRerunCommand,
  },
  'Look:': {
    status: async () => (await import('./status.ts')).addStatusCommand,
    runs: async () => (await import('./runs.ts')).addRunsCommand,
    report: async () => (await import('./runs.ts')).addReportCommand,
    audit: async () => (await import('./audit.ts')).addAuditCommand,
    account: async () => (await import('./account.ts')).addAccountCommand,
    reply: async () => (await import('./reply.ts')).addReplyCommand,
  },
  'Decide:': {
    resolve: async () => (await import('./resolve.ts')).addResolveCommand,
    'write-off': async () => (await import('./account.ts')).addWriteOffCommand,
    release: async () => (await import('./account.ts')).addReleaseCommand,
    pause: async () => (await import('./control.ts')).addPauseCommand,
    resume: async () => (await import('./control.ts')).addResumeCommand,
    approve: async () => (await import('./control.ts')).addApproveCommand,
    cancel: async () => (await import('./control.ts')).addCancelCommand,
    purge: async () => (await import('./purge.ts')).addPurgeCommand,
  },
  'Keep running:': {
    start: async () => (await import('./start.ts')).addStartCommand,
    watch: async () => (await import('./start.ts')).addWatchCommand,
    work: async () => (await import('./start.ts')).addWorkCommand,
    web: async () => (await import('./web.ts')).addWebCommand,
  },
  'Set up:': {
    map: async () => (await import('./map.ts')).addMapCommand,
    template: async () => (await import('./template.ts')).addTemplateCommand,
    schema: async () => (await import('./template.ts')).addSchemaCommand,
    doctor: async () => (await import('./doctor.ts')).addDoctorCommand,
    rekey: async () => (await import('./rekey.ts')).addRekeyCommand,
    sandbox: async () => (await import('./sandbox.ts')).addSandboxCommand,
    completion: async () => (await import('./completion.ts')).addCompletionCommand,
  },
};

const COMMANDS = Object.entries(GROUPS).flatMap(([group, commands]) =>
  Object.entries(commands).map(([name, load]) => ({ name, group, load })),
);

export async function runProgram(args: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const done = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(io);
  const endSteps = showSteps(io, () => performance.now());
  try {
    for (const add of await loadCommands(args)) add(program, io, done);
    for (const command of program.commands) command.helpGroup(groupOf(command.name()));
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    endSteps();
    const command = program.commands.find((one) => one.name() === args[0]);
    if (command !== undefined && isMissing(error))
      await (await import('./missing.ts')).helpWithMissing(command, io);
    return explain(error, io);
  } finally {
    endSteps();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof CommanderError && error.code === 'commander.missingArgument';
}

/** None for the version; all for help, or to suggest a name for a mistyped one. */
export async function loadCommands([first]: readonly string[]): Promise<readonly AddCommand[]> {
  if (first === '--version' || first === '-V') return [];
  const named = COMMANDS.filter(({ name }) => name === first);
  const asked = named.length === 0 ? COMMANDS : named;
  return Promise.all(asked.map(({ load }) => load()));
}

function groupOf(command: string): string {
  return COMMANDS.find(({ name }) => name === command)?.group ?? '';
}

function createProgram(io: Io): Command {
  return new Command('onboard')
    .description(
      'Loads partner portfolios into a money-services API: every row sent at most once, every row accounted for.',
    )
    .version(programVersion())
    .commandsGroup('Set up:')
    .helpCommand(true)
    .showHelpAfterError('(onboard --help shows what there is)')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => say(io, ...text.trimEnd().split('\n')),
      writeErr: (text) => tell(io, ...text.trimEnd().split('\n')),
      // Commander's own line breaks stand at the end and before its suggestion; others were typed.
      outputError: (text, write) => write(text.replaceAll(/\n(?!$|\(Did you mean)/g, '\\n')),
    })
    .addHelpText('after', HELP);
}

/** Says what a command failed for, and what to do; answers its exit status. */
export function explain(error: unknown, io: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : EXIT.notStarted;
  if (error instanceof UsageError) {
    tell(io, ...error.problems.map((problem) => `onboard: ${problem}`));
    return error instanceof GivenUpError ? EXIT.stopped : EXIT.notStarted;
  }
  const refusal = refusalWords(error);
  if (refusal !== null) {
    tell(io, `onboard: ${refusal}`);
    return EXIT.notStarted;
  }
  if (error instanceof BrokenOffError) return explainBreak(error, io);
  return isDefect(error) ? explainDefect(error, io) : unexpected(error, io);
}

/** What Node itself, a library or the system refuses has a code. */
function isDefect(error: unknown): boolean {
  const kinds = [TypeError, RangeError, ReferenceError];
  return kinds.some((kind) => error instanceof kind) && errorCode(error) === '';
}

/** Where it happened, without its message and fields, which may hold rows. */
export function explainDefect(error: unknown, io: Io): number {
  const { name, stack = '' } = errorOf(error);
  const lines = stack.split('\n');
  const isDebug = io.env.LOG_LEVEL === 'debug';
  const frames = isDebug ? lines : lines.filter((line) => /^ +at /.test(line));
  const what = [name, errorCode(error)].join(' ').trim();
  tell(io, `onboard: a defect of the program, to be told to whoever develops it (${what}):`, ...frames);
  return EXIT.defect;
}

function explainBreak(error: BrokenOffError, io: Io): number {
  if (!error.isLost && isDefect(error.cause)) return explainDefect(error.cause, io);
  if (error.isLost || io.interrupted.aborted) tell(io, `onboard: ${error.message}`);
  else unexpected(error, io);
  if (error.isLost) return EXIT.stopped;
  tell(io, `To go on: ${io.typed}`);
  return io.interrupted.aborted ? EXIT.interrupted : EXIT.stopped;
}

/** Only the message: a Redis error carries its command with the arguments, and those are rows. */
function unexpected(error: unknown, io: Io): number {
  tell(io, `onboard: ${wordsOf(error)}`);
  if (io.env.LOG_LEVEL === 'debug' && error instanceof Error) tell(io, ...(error.stack ?? '').split('\n'));
  return EXIT.notStarted;
}

function wordsOf(error: unknown): string {
  const text = messageOf(error);
  const isFull = isDeepDown(error, (one) => hasCode(one, 'ENOSPC', 'EDQUOT'));
  if (isFull) return `a disk is full: ${text}. Make room on it, and give the command again.`;
  const isSync = isDeepDown(error, (one) => 'syscall' in one && one.syscall === 'fsync');
  if (!isSync) return `unexpected: ${text}`;
  return `a file system does not make durable what is written (${text}): expected one that has fsync.`;
}

function isDeepDown(error: unknown, isIt: (one: Error) => boolean): boolean {
  return error instanceof Error && (isIt(error) || isDeepDown(error.cause, isIt));
}

/** How to call the program again: by npx under npm, and with a home that is set. */
export function commandOf(env: Io['env'], folder: string): string {
  const { ONBOARD_HOME: home, npm_command } = env;
  const named = home === undefined || home === '' ? null : resolve(folder, home);
  const isOther = named !== null && named !== homeOf(folder);
  const setting = isOther ? `ONBOARD_HOME=${shellWord(named)} ` : '';
  const npx = npm_command === undefined ? '' : 'npx ';
  return `${setting}${npx}onboard`;
}

const HELP = `
Example:
  onboard run subclients-create portfolio.csv --sandbox     a rehearsal: nothing leaves this machine

Environment: MSB_BASE_URL and one of MSB_TOKEN, MSB_TOKEN_FILE, MSB_TOKEN_COMMAND; \
MSB_TLS_CA_FILE, MSB_TLS_CERT_FILE, MSB_TLS_KEY_FILE, HTTPS_PROXY, NO_PROXY; REDIS_URL (unset: an embedded \
server), REDIS_PASSWORD_FILE, REDIS_TLS_CA_FILE, REDIS_TLS_CERT_FILE, REDIS_TLS_KEY_FILE, \
REDIS_SENTINEL_USERNAME, REDIS_SENTINEL_PASSWORD;
ONBOARD_HOME (.onboard here or above), ONBOARD_JOBS (./jobs), ONBOARD_ACTOR (who acts, for the audit; user@host), \
ONBOARD_RETENTION (such as 90d), ONBOARD_ENCRYPTION_KEY, ONBOARD_ENCRYPTION_KEY_FILE or \
ONBOARD_ENCRYPTION_KEY_COMMAND, ONBOARD_ENCRYPTION_KEY_OLD, LOG_LEVEL;
ONBOARD_WEBHOOK_URL and ONBOARD_WEBHOOK_SECRET_FILE, ONBOARD_NOTIFY_COMMAND: where events are told;
ONBOARD_WEB_TOKEN, ONBOARD_WEB_ORIGIN, and ONBOARD_WEB_USER_HEADER with ONBOARD_WEB_PROXY and \
ONBOARD_WEB_PROXY_SECRET_FILE: who sees the page, and where.

The token's user needs the permission 'Subclient / Create' to create subclients, 'Subclient / Modify' to update them.

Exit status: 0 all rows succeeded or were skipped, 1 some did not, 2 stopped before the end, 3 could not start, \
4 interrupted, 5 some rows are in doubt, 70 a defect of the program.`;
