/** A command without one of its arguments: its help, and the run that is meant by all signs. */
import type { Command } from 'commander';
import { type Io, tell } from '../../lib/terminal.ts';
import { countUnsuccessful } from '../../model/outcome.ts';
import { awaitsApproval, isOver } from '../../model/run.ts';
import { goingOnWith, type RunToSeeTo, runsToSeeTo } from '../../runs/status.ts';
import { withKnownLedger } from '../../session.ts';

const hasDoubts = ({ run }: RunToSeeTo) => run.outcomes['in-doubt'] > 0;
const hasOpen = ({ run }: RunToSeeTo) => isOver(run) && countUnsuccessful(run.outcomes) > 0;

/** By command, of runs that need attention or are not over: which it could be about. */
const MEANT: ReadonlyMap<string, (shown: RunToSeeTo) => boolean> = new Map([
  ['pause', ({ run }: RunToSeeTo) => run.state === 'running'],
  ['resume', ({ run, state }: RunToSeeTo) => !awaitsApproval(run) && goingOnWith(run, state) !== null],
  ['approve', ({ run }: RunToSeeTo) => awaitsApproval(run)],
  ['cancel', ({ run }: RunToSeeTo) => !isOver(run)],
  ['resolve', hasDoubts],
  ['rerun', hasOpen],
  ['write-off', hasOpen],
  ['reply', hasOpen],
]);

export async function helpWithMissing(command: Command, io: Io): Promise<void> {
  tell(io, '');
  command.outputHelp({ error: true });
  const name = command.name();
  const isMeant = MEANT.get(name);
  if (isMeant === undefined) return;
  const runs = await withKnownLedger(
    io,
    ({ ledger }) => runsToSeeTo(ledger),
    () => [],
  ).catch(() => []);
  const [only, another] = runs.filter(isMeant);
  if (only === undefined || another !== undefined) return;
  tell(io, '', `There is one run that it could be: onboard ${name} ${only.run.id}`);
}
