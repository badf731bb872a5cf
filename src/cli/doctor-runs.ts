import { openRows, type Run } from '../model/run.ts';
import { goingOnWith, stateOf } from '../runs/status.ts';
import type { Ledger } from '../session.ts';
import { counted, type Finding, ok, warning } from './doctor-finding.ts';

const RUNS_LOOKED_AT = 1000;
const COMMANDS_SHOWN = 3;

/** An unfinished run that goes on only with the command, as `onboard status` names it. */
export type LeftRun = { readonly run: Run; readonly command: string };

/** The newest runs that were left before their end: by a process that is gone, paused, or stopped. */
export async function checkRuns(ledger: Ledger): Promise<Finding> {
  const left: LeftRun[] = [];
  for (const { run: id, target } of await ledger.index.latest(RUNS_LOOKED_AT)) {
    const { store } = ledger.of(target);
    const run = await store.get(id);
    const command = run === null ? null : goingOnWith(run, stateOf(run, await store.hasLease(id)));
    if (run !== null && command !== null) left.push({ run, command });
  }
  return judgeRuns(left);
}

/** `left`: newest first. */
export function judgeRuns(left: readonly LeftRun[]): Finding {
  const open = left.filter(({ run }) => !isHalted(run) || openRows(run) > 0);
  if (open.length === 0) return ok('runs', 'none is left unfinished');
  const halted = open.filter(({ run }) => isHalted(run)).length;
  const more = open.length > COMMANDS_SHOWN ? ', … (`onboard runs` lists them)' : '';
  const commands = open.slice(0, COMMANDS_SHOWN).map(({ command }) => `\`${command}\``);
  const why = [
    ...(open.length > halted ? [`${open.length - halted} left by a process that is gone`] : []),
    ...(halted > 0 ? [`${halted} paused or stopped`] : []),
  ];
  const finding = `${counted(open.length, 'unfinished run')}: ${why.join(', ')}`;
  return warning('runs', finding, `To go on: ${commands.join(', ')}${more}`);
}

function isHalted({ state }: Run): boolean {
  return state === 'paused' || state === 'stopped';
}
