import { openJobBook } from '../intake/inbox/job-book.ts';
import { UsageError } from '../lib/usage-error.ts';
import { baseUrlOf, type Service, serviceFromEnvironment } from '../wiring.ts';
import { prepareHome } from './before-start.ts';
import type { AddCommand } from './command.ts';
import { createInboxDesk } from './inbox-desk.ts';
import { addInboxOptions, type InboxFlags } from './inbox-options.ts';
import { watchInboxes } from './inbox-watch.ts';
import { type Io, tell } from './io.ts';
import { type Ground, onGround } from './open-desk.ts';
import { nowhere, openQuietDesk } from './quiet-desk.ts';
import { checkRedisSettings } from './redis-settings.ts';
import { SANDBOX_TARGET } from './sandbox-child.ts';

type Flags = InboxFlags & { readonly sandbox?: boolean };

/** `onboard watch`: takes the files of the inboxes and follows their runs; workers elsewhere send. */
export const addWatchCommand: AddCommand = (program, io, done) => {
  const command = program
    .command('watch')
    .description('Take files from the inboxes through their jobs; `onboard work` sends their rows')
    .option('--sandbox', 'for the ledger of the built-in stand-in instead of MSB_BASE_URL');
  addInboxOptions(command)
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await watch(flags, io)));
};

async function watch(flags: Flags, io: Io): Promise<number> {
  return onGround(io, flags.logFile, async (ground) => {
    const { env, ledger } = ground;
    const book = await openJobBook(env.jobsDirectory, env.home);
    await prepareHome(env);
    const service = watchedService(flags.sandbox === true, ground);
    await checkRedisSettings(io, ledger, { env, flag: flags.acceptRedisSettings });
    const runs = await openQuietDesk(ground, service, flags.json === true ? { json: true } : {});
    const desk = createInboxDesk(runs, book, flags);
    tell(io, `Watching ${desk.places.inbox} for ${service.target}; rows are sent by \`onboard work\`.`);
    return watchInboxes(desk);
  });
}

/** Whoever only watches needs the service's name, and its credentials only to look rows in doubt up. */
function watchedService(isSandbox: boolean, { env }: Ground): Service {
  if (isSandbox) return nowhere(SANDBOX_TARGET);
  if (env.tokenSource.kind !== 'none') return serviceFromEnvironment(env);
  if (env.baseUrl !== null) return nowhere(baseUrlOf(env.baseUrl));
  throw new UsageError('MSB_BASE_URL is not set: expected the address of the service, or --sandbox.');
}

const EXAMPLE = `
Examples:
  REDIS_URL=redis://redis.internal:6379 onboard watch
  onboard watch --once --json

Files in ONBOARD_HOME/inbox (and the definitions' own inboxes) are taken when they are whole, each as one run, and end
in ONBOARD_HOME/done or ONBOARD_HOME/failed with a note beside them.`;
