/**
 * The commands that go on until they are interrupted: `onboard start` takes files and sends their
 * rows, `onboard watch` only takes files, `onboard work` only sends rows.
 */
import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from '../../config/environment.ts';
import { definitionProblems } from '../../delivery/run-mapping.ts';
import {
  baseUrlOf,
  nowhere,
  SANDBOX_TARGET,
  type Service,
  serviceFromEnvironment,
  serviceReady,
} from '../../delivery/target.ts';
import type { ListenAddress } from '../../lib/listening.ts';
import { type Io, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { EXIT } from '../../model/exit.ts';
import { keepAuditFile } from '../../runs/audit.ts';
import { goOnAtNewTokens } from '../../runs/control.ts';
import { tellEvents, tellLeft } from '../../runs/events.ts';
import { type JobBook, openJobBook } from '../../runs/inbox/job-book.ts';
import { countFiles } from '../../runs/inbox/overview.ts';
import { purgeDaily } from '../../runs/inbox/retention.ts';
import { lockInboxes, watchInboxes } from '../../runs/inbox/watch.ts';
import { createWatcher, type Watcher, type WatchOptions } from '../../runs/inbox/watcher.ts';
import { startStandIn } from '../../runs/register.ts';
import { tellOfService } from '../../runs/service-notice.ts';
import { tellVitals } from '../../runs/vitals.ts';
import {
  checkRedisSettings,
  joinTarget,
  openSession,
  prepareHome,
  type Session,
  type TargetSession,
  withCommand,
  withSession,
} from '../../session.ts';
import { ACCEPT_REDIS_SETTINGS, type AddCommand, FRESH, METRICS, WEB } from './command.ts';

type InboxFlags = WatchOptions & {
  readonly sandbox?: boolean;
  readonly fresh?: boolean;
  readonly acceptRedisSettings?: boolean;
  readonly metrics?: ListenAddress;
  /** False: `--no-web`. */
  readonly web?: ListenAddress | boolean;
};

export const addStartCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('start')
    .description('Load files from the inboxes, each by its job, and send their rows, in one process')
    .option('--sandbox', 'send to the built-in stand-in instead of MSB_BASE_URL: a rehearsal')
    .addOption(FRESH);
  addInboxOptions(command, START_EXAMPLE).action(async (flags: InboxFlags) =>
    done(await watch(flags, io, { sends: true })),
  );
};

export const addWatchCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('watch')
    .description(
      'Load files from the inboxes, each by its job, and wait for workers (`onboard work`) that send their rows',
    );
  addInboxOptions(command, WATCH_EXAMPLE).action(async (flags: InboxFlags) =>
    done(await watch(flags, io, { sends: false })),
  );
};

type Sends = { readonly sends: boolean };

function watch(flags: InboxFlags, io: Io, { sends }: Sends): Promise<number> {
  return withSession(
    io,
    async (session) => {
      const page = await pageAsked(flags, session);
      const book = await openBook(session, page !== null);
      await lockInboxes(session);
      const service = sends ? await startedService(flags, session) : watchedService(session.env);
      const acceptsSettings = flags.acceptRedisSettings;
      if (!sends) await checkRedisSettings(session, acceptsSettings);
      keepAuditFile(session, service.target);
      const joined = await joinTarget(session, service, { sends, acceptsSettings });
      const watcher = createWatcher(joined, book, flags);
      const isPageUp = page === null ? undefined : await servePage(page, watcher, joined);
      await tellVitals(joined, { inbox: countFiles(watcher), isPageUp });
      await tellEvents(joined);
      const purging = purgeDaily(watcher.once, joined);
      if (watcher.once) await purging;
      const { inbox } = watcher.places;
      if (sends) {
        void goOnAtNewTokens(watcher);
        tell(io, `Watching ${inbox} and working for ${service.target}; Ctrl-C stops it cleanly.`);
      } else tell(io, `Watching ${inbox} for ${service.target}; rows are sent by \`onboard work\`.`);
      if (!sends && watcher.once) tell(io, WAITS);
      return watchInboxes(watcher);
    },
    flags,
  );
}

const WAITS =
  'It ends when workers have sent the rows of all files; where none is running it waits for one: `onboard work`.';

/** Every definition is read first. Where there is none yet, people can make one on the page. */
async function openBook({ env }: Session, hasPage: boolean): Promise<JobBook> {
  const book = await openJobBook(env.jobsDirectory, env.home, definitionProblems);
  if (book.jobs().length === 0 && !hasPage)
    throw new UsageError(
      `${env.jobsDirectory} has no job definitions: expected at least one, or every file would be refused; set ONBOARD_JOBS, or make one on the page (--web 127.0.0.1:4780)`,
    );
  await prepareHome(env);
  return book;
}

/** `address`: as it was given; `null`: the usual place. */
type Page = { readonly address: ListenAddress | null };

/** Where nobody asked for a page there is one only if somebody could log in. */
async function pageAsked({ web, once }: InboxFlags, session: Session): Promise<Page | null> {
  if (web === false || once === true) return null;
  const { mayAnybodyEnter } = await import('../page/fork.ts');
  const isEntered = await mayAnybodyEnter(session);
  const address = typeof web === 'object' ? web : null;
  return isEntered || address !== null ? { address } : null;
}

/** The page, in a process of its own; answers whether it runs. */
async function servePage(page: Page, watcher: Watcher, joined: TargetSession): Promise<() => boolean> {
  // It comes with the views of everything: whoever wants none does not wait for them.
  const [{ forkPage }, { createActs }, { createTaking }] = await Promise.all([
    import('../page/fork.ts'),
    import('../page/acts.ts'),
    import('../page/taking.ts'),
  ]);
  const sandbox = joined.service.target === SANDBOX_TARGET;
  return forkPage(joined, { ...page, sandbox, acts: createActs(joined, createTaking(watcher)) });
}

function startedService({ sandbox, fresh }: InboxFlags, session: Session): Promise<Service> {
  return sandbox === true ? startStandIn(session, fresh === true) : serviceReady(session.env, session.io);
}

/** Without credentials it can't look up rows in doubt; the service's name is enough to watch. */
function watchedService(env: Environment): Service {
  if (env.tokenSource.kind !== 'none') return serviceFromEnvironment(env);
  if (env.baseUrl !== null) return nowhere(baseUrlOf(env.baseUrl));
  throw new UsageError(
    'MSB_BASE_URL is not set: expected the address of the service, such as https://api.example.com.',
  );
}

const START_EXAMPLE = `
Examples:
  onboard start
  onboard start --sandbox --once          a rehearsal of what is in the inbox, where it stays

The folders are looked at once a second, by one process for each home.`;

const WATCH_EXAMPLE = `
Examples:
  REDIS_URL=redis://redis.internal:6379 onboard watch
  onboard watch --once --json

Rows are sent by \`onboard work\`, in any number of other processes: without one, files wait, also with --once.`;

const INBOX_HELP = `
Files in ONBOARD_HOME/inbox (and the definitions' own inboxes) are taken when they are whole, each as one run, and end \
in ONBOARD_HOME/done or ONBOARD_HOME/failed with a note beside them.

With --once the exit status is that of the worst file: 3 where a file was refused though others were loaded, 5 in doubt, \
2 stopped before the end, 1 some rows did not succeed, 0 otherwise. What still waits (an upload under a name such as \
.part, a schedule, a marker, another job) is named at the end and doesn't change it.`;

function addInboxOptions(command: Command, example: string): Command {
  return command
    .option('--rest <seconds>', 'take a file once it has not changed for this long', seconds, 2)
    .option('--once', 'take what is there, to the end, and exit: for cron')
    .option('--json', 'a JSON line per file')
    .option(...METRICS)
    .option(...WEB)
    .option('--no-web', 'serve no page')
    .option(...ACCEPT_REDIS_SETTINGS)
    .addHelpText('after', example)
    .addHelpText('after', INBOX_HELP);
}

const LONGEST_S = 24 * 3600;

function seconds(text: string): number {
  const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0 && value <= LONGEST_S) return value;
  throw new InvalidArgumentError('expected seconds, for example 2 or 0.5.');
}

type WorkFlags = {
  readonly metrics?: ListenAddress;
  readonly acceptRedisSettings?: boolean;
};

export const addWorkCommand: AddCommand = (program, io, done) => {
  program
    .command('work')
    .description('Send rows of the runs to MSB_BASE_URL, beside other workers, until interrupted')
    .option(...METRICS)
    .option(...ACCEPT_REDIS_SETTINGS)
    .addHelpText('after', '\nExample:\n  REDIS_URL=redis://redis.internal:6379 onboard work')
    .action(async (flags: WorkFlags) => done(await work(flags, io)));
};

function work(flags: WorkFlags, io: Io): Promise<number> {
  return withCommand(io, async (command) => {
    const service = serviceFromEnvironment(command.env);
    await service.credentials.current();
    const session = await openSession(command, flags);
    const join = { sends: true, acceptsSettings: flags.acceptRedisSettings };
    const joined = await joinTarget(session, service, join);
    await tellVitals(joined);
    await tellLeft(joined);
    tell(io, `Working for ${service.target}; Ctrl-C ends it when its rows in flight are settled.`);
    await tellOfService(joined);
    return EXIT.interrupted;
  });
}
