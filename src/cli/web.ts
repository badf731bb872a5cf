/** `onboard web`: the page by itself, which only looks, until it is interrupted; and who has a token of their own. */
import { once } from 'node:events';
import { readEnvironment } from '../config/environment.ts';
import { targetOf } from '../inbox/overview.ts';
import { type Io, say } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Role } from '../model/ask.ts';
import { openPage } from '../page/open.ts';
import { withKnownLedger } from '../session.ts';
import { readAccess } from '../web/access.ts';
import { addPerson, removePerson } from '../web/people.ts';
import { type AddCommand, actorOf, type WebAddress, webAddress } from './command.ts';

type Flags = {
  readonly listen?: WebAddress;
  readonly sandbox?: boolean;
  readonly add?: string;
  readonly role?: string;
  readonly remove?: string;
};

export const addWebCommand: AddCommand = (program, io, done) => {
  program
    .command('web')
    .description('Show runs, rows and jobs to people with a browser; or say who may log in')
    .option('--listen <host:port>', 'where; default: 127.0.0.1:4780, or the next free port', webAddress)
    .option('--sandbox', 'the runs of the built-in stand-in, instead of those of MSB_BASE_URL')
    .option('--add <name>', 'give somebody a token of their own, or a new one; it is printed once')
    .option('--role <role>', 'with --add: viewer (looks) or operator (sees cells, and acts)')
    .option('--remove <name>', 'take the token from somebody, who is out at once')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await web(flags, io)));
};

const EXAMPLE = `
The page by itself only looks: the one of \`onboard start\` can pause, resume, settle and upload too.

Examples:
  onboard web
  onboard web --add eva --role viewer
  onboard web --remove eva`;

const DEFAULT_ADDRESS: WebAddress = { host: '127.0.0.1', port: 4780 };

async function web(flags: Flags, io: Io): Promise<number> {
  const { add, remove, role } = flags;
  if (role !== undefined && add === undefined) throw new UsageError('--role: expected with --add <name>.');
  if (add !== undefined && remove !== undefined)
    throw new UsageError('--add and --remove: expected one of them.');
  const { home } = readEnvironment(io.env);
  if (add !== undefined) {
    const token = await addPerson(home, add, roleOf(role));
    say(io, `${add} logs in with this token, which is not shown again:`, token);
    return 0;
  }
  if (remove !== undefined) {
    await removePerson(home, remove);
    say(io, `${remove} has no token any more.`);
    return 0;
  }
  return serve(flags, io);
}

function roleOf(role: string | undefined): Role {
  if (role === 'viewer' || role === 'operator') return role;
  throw new UsageError(
    `--role ${role ?? '(none)'}: expected viewer (looks) or operator (sees cells, and acts).`,
  );
}

function serve({ listen, sandbox = false }: Flags, io: Io): Promise<number> {
  return withKnownLedger(io, undefined, async (session) => {
    const { url, link } = await openPage(session, {
      ...(listen ?? DEFAULT_ADDRESS),
      mayMove: listen === undefined,
      access: readAccess(io.env, session.env.home),
      target: targetOf(session.env, sandbox),
      ask: null,
    });
    say(io, `The page is at ${url}, and only looks. Ctrl-C ends it.`);
    say(io, `To log in, once, within ten minutes: ${link(actorOf(undefined))}`);
    if (!io.interrupted.aborted) await once(io.interrupted, 'abort');
    return 0;
  });
}
