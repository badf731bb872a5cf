import { once } from 'node:events';
import { Option } from 'commander';
import { type Environment, readEnvironment } from '../config/environment.ts';
import { definitionProblems } from '../delivery/run-mapping.ts';
import {
  baseUrlOf,
  nowhere,
  type Service,
  serviceFromEnvironment,
  serviceReady,
  startSandboxChild,
} from '../delivery/target.ts';
import { openJobBook } from '../inbox/job-book.ts';
import { watchInboxes } from '../inbox/watch.ts';
import { createWatcher } from '../inbox/watcher.ts';
import { createReleasers } from '../lib/releasers.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import {
  checkRedisSettings,
  joinTarget,
  openLog,
  openSession,
  prepareHome,
  type Session,
  withSession,
} from '../session.ts';
import { ACCEPT_REDIS_SETTINGS, type AddCommand, collect, refuseStrayFaults } from './command.ts';
import { INTERRUPTED_EXIT } from './ended.ts';
import { addInboxOptions, type InboxFlags, ONCE_HELP } from './inbox-options.ts';

type StartFlags = InboxFlags & { readonly sandbox?: boolean; readonly fault: readonly string[] };

/** `onboard start`: watches the inboxes and sends the rows of their files, in one process. */
export const addStartCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('start')
    .description('Take files from the inboxes through their jobs and send their rows, in one process')
    .option('--sandbox', 'send to the built-in stand-in instead of MSB_BASE_URL: a rehearsal')
    .option(
      '--fault <name=spec>',
      'with --sandbox: a fault on request, as in `onboard sandbox`',
      collect,
      [],
    );
  addInboxOptions(command)
    .addHelpText('after', START_EXAMPLE)
    .action(async (flags: StartFlags) => done(await start(flags, io)));
};

async function start(flags: StartFlags, io: Io): Promise<number> {
  refuseStrayFaults(flags);
  return withSession(io, flags.logFile, async (session) => {
    const { env } = session;
    const book = await openJobBook(env.jobsDirectory, env.home, definitionProblems);
    await prepareHome(env);
    const service = await startedService(flags, session);
    const joined = await joinTarget(session, service, {
      sends: true,
      acceptsSettings: flags.acceptRedisSettings,
    });
    const watcher = createWatcher(joined, book, flags);
    tell(io, `Watching ${watcher.places.inbox} and working for ${service.target}; Ctrl-C ends it gently.`);
    return watchInboxes(watcher, { sends: true });
  });
}

function startedService({ sandbox, fault }: StartFlags, { env, io, releasers }: Session): Promise<Service> {
  return sandbox === true ? startSandboxChild(env.home, fault, releasers) : serviceReady(env, io);
}

const START_EXAMPLE = `
Examples:
  onboard start
  onboard start --sandbox --once          a rehearsal of what is in the inbox, where it stays
  onboard start --polling --poll 30       on a network file system

Files in ONBOARD_HOME/inbox (and the definitions' own inboxes) are taken when they are whole, each as one run, and end
in ONBOARD_HOME/done or ONBOARD_HOME/failed with a note beside them.
${ONCE_HELP}`;

type WatchFlags = InboxFlags & { readonly sandbox?: boolean };

/** `onboard watch`: takes the files of the inboxes and follows their runs; workers elsewhere send. */
export const addWatchCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('watch')
    .description(
      'Take files from the inboxes through their jobs, and wait for workers (`onboard work`) that send their rows',
    )
    .addOption(new Option('--sandbox').hideHelp());
  addInboxOptions(command)
    .addHelpText('after', WATCH_EXAMPLE)
    .action(async (flags: WatchFlags) => done(await watch(flags, io)));
};

async function watch(flags: WatchFlags, io: Io): Promise<number> {
  if (flags.sandbox === true) throw new UsageError(NO_SANDBOX);
  return withSession(io, flags.logFile, async (session) => {
    const { env } = session;
    const book = await openJobBook(env.jobsDirectory, env.home, definitionProblems);
    await prepareHome(env);
    const service = watchedService(env);
    await checkRedisSettings(session, flags.acceptRedisSettings);
    const watcher = createWatcher(await joinTarget(session, service, { sends: false }), book, flags);
    tell(io, `Watching ${watcher.places.inbox} for ${service.target}; rows are sent by \`onboard work\`.`);
    if (watcher.once) tell(io, WAITS);
    return watchInboxes(watcher, { sends: false });
  });
}

/** Whoever only watches needs the service's name, and its credentials only to look rows in doubt up. */
function watchedService(env: Environment): Service {
  if (env.tokenSource.kind !== 'none') return serviceFromEnvironment(env);
  if (env.baseUrl !== null) return nowhere(baseUrlOf(env.baseUrl));
  throw new UsageError(
    'MSB_BASE_URL is not set: expected the address of the service, such as https://api.example.com.',
  );
}

const NO_SANDBOX =
  '--sandbox: `onboard watch` sends nothing, and no worker works for the stand-in: expected `onboard start --sandbox`, which takes the files and sends their rows in one process.';
const WAITS =
  'It ends when workers have sent the rows of all files; where none is running it waits for one: `onboard work`.';

const WATCH_EXAMPLE = `
Examples:
  REDIS_URL=redis://redis.internal:6379 onboard watch
  onboard watch --once --json

Files in ONBOARD_HOME/inbox (and the definitions' own inboxes) are taken when they are whole, each as one run, and end
in ONBOARD_HOME/done or ONBOARD_HOME/failed with a note beside them. Rows are sent by \`onboard work\`, in any number of
other processes: without one, files wait, also with --once.
${ONCE_HELP}`;

type WorkFlags = { readonly logFile?: string; readonly acceptRedisSettings?: boolean };

/** `onboard work`: a worker that shares the runs of its target, until it is interrupted. */
export const addWorkCommand: AddCommand = (program, io, done) => {
  program
    .command('work')
    .description('Carry out chunks of the runs of MSB_BASE_URL, beside other workers, until interrupted')
    .option(...ACCEPT_REDIS_SETTINGS)
    .option('--log-file <file>', 'write the log there')
    .addHelpText('after', '\nExample:\n  REDIS_URL=redis://redis.internal:6379 onboard work')
    .action(async (flags: WorkFlags) => done(await work(flags, io)));
};

async function work(flags: WorkFlags, io: Io): Promise<number> {
  const releasers = createReleasers();
  try {
    const env = readEnvironment(io.env);
    const log = openLog(env, io, flags.logFile);
    const service = serviceFromEnvironment(env);
    await service.credentials.current();
    const session = await openSession({ io, env, log, releasers });
    await joinTarget(session, service, { sends: true, acceptsSettings: flags.acceptRedisSettings });
    tell(io, `Working for ${service.target}; Ctrl-C ends it when its rows in flight are settled.`);
    if (!io.interrupted.aborted) await once(io.interrupted, 'abort');
    return INTERRUPTED_EXIT;
  } finally {
    await releasers.release();
  }
}
