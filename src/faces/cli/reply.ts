/** `onboard reply`: the answer to a partner, and the text of its mail. */
import { Option } from 'commander';
import { type Io, printable, say } from '../../lib/terminal.ts';
import { EXIT } from '../../model/exit.ts';
import { makeReply } from '../../runs/reply.ts';
import { replyLanguages } from '../../runs/report/reply.ts';
import { findRun } from '../../runs/status.ts';
import { withKnownLedger } from '../../session.ts';
import { type AddCommand, RUN_ARGUMENT } from './command.ts';

export const addReplyCommand: AddCommand = (program, io, done) => {
  program
    .command('reply')
    .description(
      'Write reply.xlsx for the partner, with the rows that he can correct, and the text of a mail',
    )
    .argument('<run>', RUN_ARGUMENT)
    .addOption(new Option('--lang <language>', 'of its words').choices(replyLanguages()).default('en'))
    .addHelpText('after', '\nExample:\n  onboard reply latest --lang de')
    .action(async (run: string, { lang }: { readonly lang: string }) => done(await reply(run, lang, io)));
};

async function reply(named: string, lang: string, io: Io): Promise<number> {
  return withKnownLedger(io, async (session) => {
    const run = await findRun(session.ledger, named);
    const { path, mail } = await makeReply(run, lang, session);
    const file = path === null ? [] : [`Reply: ${path}`, ''];
    say(io, ...file, printable(mail.subject), '', ...mail.lines.map(printable));
    return EXIT.success;
  });
}
