import { openJobBook } from '../inbox/job-book.ts';
import { watchInboxes } from '../inbox/watch.ts';
import { createWatcher } from '../inbox/watcher.ts';
import { type Io, tell } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import { prepareHome } from '../runs/before-start.ts';
import { definitionProblems } from '../runs/fitting-job.ts';
import { startSandboxChild } from '../runs/sandbox-child.ts';
import type { Service } from '../session.ts';
import { type AddCommand, collect } from './command.ts';
import { addInboxOptions, type InboxFlags, ONCE_HELP } from './inbox-options.ts';
import { type Ground, onGround, openDesk, serviceReady } from './open-desk.ts';

type Flags = InboxFlags & { readonly sandbox?: boolean; readonly fault: readonly string[] };

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
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await start(flags, io)));
};

async function start(flags: Flags, io: Io): Promise<number> {
  if (flags.fault.length > 0 && flags.sandbox !== true) {
    throw new UsageError(
      '--fault is for the stand-in: expected --sandbox beside it, or the real service would be used.',
    );
  }
  return onGround(io, flags.logFile, async (ground) => {
    const { env } = ground;
    const book = await openJobBook(env.jobsDirectory, env.home, definitionProblems);
    await prepareHome(env);
    const service = await startedService(flags, ground);
    const runs = await openDesk(ground, service, flags);
    const watcher = createWatcher(runs, book, flags);
    tell(io, `Watching ${watcher.places.inbox} and working for ${service.target}; Ctrl-C ends it gently.`);
    return watchInboxes(watcher, { sends: true });
  });
}

function startedService({ sandbox, fault }: Flags, { env, io, releasers }: Ground): Promise<Service> {
  return sandbox === true ? startSandboxChild(env.home, fault, releasers) : serviceReady(env, io);
}

const EXAMPLE = `
Examples:
  onboard start
  onboard start --sandbox --once          a rehearsal of what is in the inbox, where it stays
  onboard start --polling --poll 30       on a network file system

Files in ONBOARD_HOME/inbox (and the definitions' own inboxes) are taken when they are whole, each as one run, and end
in ONBOARD_HOME/done or ONBOARD_HOME/failed with a note beside them.
${ONCE_HELP}`;
