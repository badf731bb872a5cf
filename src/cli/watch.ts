import { Option } from 'commander';
import { openJobBook } from '../inbox/job-book.ts';
import { watchInboxes } from '../inbox/watch.ts';
import { createWatcher } from '../inbox/watcher.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { prepareHome } from '../runs/before-start.ts';
import { definitionProblems } from '../runs/fitting-job.ts';
import { baseUrlOf, type Service, serviceFromEnvironment } from '../session.ts';
import type { AddCommand } from './command.ts';
import { addInboxOptions, type InboxFlags, ONCE_HELP } from './inbox-options.ts';
import { type Ground, onGround } from './open-desk.ts';
import { nowhere, openQuietDesk } from './quiet-desk.ts';
import { checkRedisSettings } from './redis-settings.ts';

type Flags = InboxFlags & { readonly sandbox?: boolean };

/** `onboard watch`: takes the files of the inboxes and follows their runs; workers elsewhere send. */
export const addWatchCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('watch')
    .description(
      'Take files from the inboxes through their jobs, and wait for workers (`onboard work`) that send their rows',
    )
    .addOption(new Option('--sandbox').hideHelp());
  addInboxOptions(command)
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await watch(flags, io)));
};

async function watch(flags: Flags, io: Io): Promise<number> {
  if (flags.sandbox === true) throw new UsageError(NO_SANDBOX);
  return onGround(io, flags.logFile, async (ground) => {
    const { env, ledger } = ground;
    const book = await openJobBook(env.jobsDirectory, env.home, definitionProblems);
    await prepareHome(env);
    const service = watchedService(ground);
    await checkRedisSettings(io, ledger, { env, flag: flags.acceptRedisSettings });
    const runs = await openQuietDesk(ground, service, flags.json === true ? { json: true } : {});
    const watcher = createWatcher(runs, book, flags);
    tell(io, `Watching ${watcher.places.inbox} for ${service.target}; rows are sent by \`onboard work\`.`);
    if (watcher.once) tell(io, WAITS);
    return watchInboxes(watcher, { sends: false });
  });
}

/** Whoever only watches needs the service's name, and its credentials only to look rows in doubt up. */
function watchedService({ env }: Ground): Service {
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

const EXAMPLE = `
Examples:
  REDIS_URL=redis://redis.internal:6379 onboard watch
  onboard watch --once --json

Files in ONBOARD_HOME/inbox (and the definitions' own inboxes) are taken when they are whole, each as one run, and end
in ONBOARD_HOME/done or ONBOARD_HOME/failed with a note beside them. Rows are sent by \`onboard work\`, in any number of
other processes: without one, files wait, also with --once.
${ONCE_HELP}`;
