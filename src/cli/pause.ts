import { type Io, say } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import { findRun, withLedger } from '../runs/find-run.ts';
import { stateOf } from '../runs/run-state.ts';
import type { AddCommand } from './command.ts';

/** `onboard pause <run>`: nothing more of the run is sent, by nobody, until it is resumed. */
export const addPauseCommand: AddCommand = (program, io, done) => {
  program
    .command('pause')
    .description('Stop sending rows of a run, in every process; rows in flight are settled')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .addHelpText('after', '\nExample:\n  onboard pause 20261121-034512-k3f9')
    .action(async (run: string) => done(await pause(run, io)));
};

async function pause(id: string, io: Io): Promise<number> {
  return withLedger(io, async (ledger) => {
    const { store } = ledger.of((await findRun(ledger, id)).target);
    const moved = await store.transition(id, 'paused', 'requested');
    const run = await findRun(ledger, id);
    if (run.state === 'finished' || run.state === 'cancelled') throw new UsageError(ended(run));
    const now = moved ? 'paused: nothing more of it is sent' : `${stateOf(run, false).words} already`;
    say(io, `Run ${id} is ${now}.\nTo go on: onboard resume ${id}`);
    return 0;
  });
}

function ended({ id, state }: Run): string {
  return `Run ${id} is ${state}: expected one that is running or queued, there is nothing left to pause.`;
}
