/** `onboard web`: the page by itself, and the people who may log in to it. */
import { once } from 'node:events';
import { Option } from 'commander';
import { readEnvironment } from '../../config/environment.ts';
import { type Act, recordAct } from '../../engine/ledger/audit.ts';
import type { ListenAddress } from '../../lib/listening.ts';
import { say, tell } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { makerOf } from '../../model/approval.ts';
import type { Role } from '../../model/ask.ts';
import { EXIT } from '../../model/exit.ts';
import { targetOf } from '../../runs/inbox/overview.ts';
import { SYSTEM_CLOCK, withCommand, withSession } from '../../session.ts';
import { linkToStarter } from '../page/fork.ts';
import { openPage } from '../page/open.ts';
import { addPerson, removePerson } from '../web/people.ts';
import { type AddCommand, addressIn } from './command.ts';

type Flags = {
  readonly listen?: ListenAddress;
  readonly sandbox?: boolean;
  readonly add?: string;
  readonly remove?: string;
  readonly role?: Role;
  readonly machine?: boolean;
};

export const addWebCommand: AddCommand = (program, io, done) => {
  program
    .command('web')
    .description('Serve the page by itself: it shows what is going on, and can do nothing')
    .option('--listen <host:port>', 'where; default: 127.0.0.1:4780, or the next free port', addressIn)
    .option('--sandbox', 'show the runs of rehearsals first')
    .option('--add <name>', 'let a person log in: prints a token for them, once')
    .addOption(new Option('--role <role>', 'of the person who is added').choices(['viewer', 'operator']))
    .option('--machine', 'with --add: a program, which calls the interface for machines (docs/api.md)')
    .option('--remove <name>', 'let a person or a machine in no longer')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: Flags) => done(await web(flags, io)));
};

async function web(flags: Flags, io: Parameters<AddCommand>[1]): Promise<number> {
  const { home, actor } = readEnvironment(io.env);
  // Where the ledger can't be had, nothing is changed.
  const record = <T>(act: Pick<Act, 'what' | 'of'>, change: () => Promise<T>) =>
    withSession(io, async ({ env, ledger: { redis, of } }) => {
      const changed = await change();
      await recordAct(redis, of(targetOf(env, flags.sandbox === true)).keys, act);
      return changed;
    });
  if (flags.add !== undefined) {
    if (flags.role === undefined)
      throw new UsageError('--add: expected --role viewer, who looks, or --role operator, who acts too');
    const { add: person, role, machine = false } = flags;
    const act: Pick<Act, 'what' | 'of'> = {
      what: 'person-added',
      of: { person, role, ...(machine && { machine: makerOf(actor) }) },
    };
    const token = await record(act, () =>
      addPerson(home, person, role, machine ? makerOf(actor) : undefined),
    );
    const way = machine ? 'call /api' : 'log in';
    tell(io, `${flags.add} may ${way} as ${flags.role} with this token, which is not shown again:`);
    say(io, token);
    return 0;
  }
  if (flags.remove !== undefined) {
    const { remove: person } = flags;
    await record({ what: 'person-removed', of: { person } }, () => removePerson(home, person));
    say(io, `${flags.remove} is let in no longer.`);
    return 0;
  }
  return withCommand(io, async (command) => {
    const link = linkToStarter();
    const opened = await openPage(
      { ...command, clock: SYSTEM_CLOCK },
      {
        address: flags.listen ?? null,
        sandbox: flags.sandbox === true,
        link,
        visitor: command.env.actor.name,
      },
    );
    if (link === null) tell(io, `The page: ${opened.link} (lets one person in, within ten minutes)`);
    else link.tell({ kind: 'listening', ...opened });
    const interrupted = io.interrupted.aborted ? null : once(io.interrupted, 'abort');
    await Promise.race([interrupted, ...(link === null ? [] : [link.ended])]);
    return link === null ? EXIT.interrupted : 0;
  });
}

const EXAMPLE = `
Examples:
  onboard web                                   beside onboard work, to look
  onboard web --add ops-1 --role operator
  onboard web --add ci --role operator --machine
  onboard start --web 127.0.0.1:4780            the same page, which can act`;
