/** `onboard rekey`: what the ledgers keep stays sealed, under another key. */

import { stubOf } from '../../engine/ledger/audit.ts';
import { readKeyring, rekey } from '../../engine/ledger/sealing.ts';
import { countOf, say } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { targetOf } from '../../runs/inbox/overview.ts';
import { unsealed, withKnownLedger } from '../../session.ts';
import type { AddCommand } from './command.ts';

export const addRekeyCommand: AddCommand = (program, io, done) => {
  program
    .command('rekey')
    .description('Wrap the data keys anew under the key of ONBOARD_ENCRYPTION_KEY; no row is touched')
    .addHelpText('after', EXAMPLE)
    .action(() =>
      withKnownLedger(io, async ({ env, ledger }) => {
        const keyring = await readKeyring(env.encryptionKey, env.formerKeys);
        if (keyring === null)
          throw new UsageError(
            'ONBOARD_ENCRYPTION_KEY is not set: expected the new key, and the former one in ONBOARD_ENCRYPTION_KEY_OLD.',
          );
        const all = await ledger.index.latest(ALL);
        const records = new Map(all.map(({ run, target }) => [run, ledger.of(target).keys.run(run).record]));
        const at = new Date().toISOString();
        const targets = new Set([targetOf(env, false), ...all.map(({ target }) => target)]);
        const ledgers = [...targets].map((target) => ledger.of(target).keys);
        const chains = new Map(ledgers.map((keys) => [keys.audit, stubOf(keys, '', at)]));
        const { from, to, runs } = await rekey(ledger.redis, keyring, { records, chains });
        // The home's copy of the ledger key, too.
        await (await unsealed(ledger.redis, env)).begun();
        const those = `the ledger and ${countOf(runs, 'run')}`;
        say(io, from.length === 0 ? nothingWords(those, to) : wrappedWords(those, to, from));
        done(0);
      }),
    );
};

const ALL = 10_000_000;

function nothingWords(those: string, to: string): string {
  return `Nothing to do: ${those} have the key ${to} already.`;
}

function wrappedWords(those: string, to: string, from: readonly string[]): string {
  return (
    `Wrapped anew under the key ${to}: ${those}. Now give every process that key, with the ` +
    `former one (${from.join(', ')}) in ONBOARD_ENCRYPTION_KEY_OLD. Ten minutes after the last run ` +
    'that is under way now has ended, run this once more: then the former one is no longer needed.'
  );
}

const EXAMPLE = `
Example:
  onboard rekey

ONBOARD_ENCRYPTION_KEY (_FILE, _COMMAND) is the key from now on, ONBOARD_ENCRYPTION_KEY_OLD (_FILE) the former one. \
Workers may run meanwhile, with both set. Journals have data keys as they were until ten minutes after their runs have ended.`;
