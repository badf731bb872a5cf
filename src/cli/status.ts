import { openRows, type Run } from '../model/run.ts';
import { summarize } from '../report/summary.ts';
import { reportDirectory } from '../wiring.ts';
import type { AddCommand } from './command.ts';
import { findRun, withLedger } from './find-run.ts';
import { type Io, say } from './io.ts';
import { outcomesOf } from './progress.ts';
import { type ShownState, stateOf } from './run-state.ts';
import { SANDBOX_TARGET } from './sandbox-child.ts';

/** `onboard status <run>`: one run in numbers. */
export const addStatusCommand: AddCommand = (program, io, done) => {
  program
    .command('status')
    .description('One run in numbers, as the ledger has it now')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .option('--json', 'as JSON, with the fields of summary.json')
    .addHelpText('after', '\nExample:\n  onboard status 20261121-034512-k3f9 --json')
    .action(async (run: string, flags: { readonly json?: boolean }) =>
      done(await showStatus(run, flags, io)),
    );
};

async function showStatus(id: string, flags: { readonly json?: boolean }, io: Io): Promise<number> {
  return withLedger(io, async (ledger, env) => {
    const run = await findRun(ledger, id);
    const state = stateOf(run, await ledger.of(run.target).store.hasLease(id));
    const report = reportDirectory(env, id);
    if (flags.json === true) {
      const summary = summarize(run, [], new Date());
      say(io, JSON.stringify({ ...summary, owner: state.owner, report }, null, 2));
    } else for (const line of linesOf(run, state, report)) say(io, line);
    return 0;
  });
}

function canGoOn({ state }: Run, { owner }: ShownState): boolean {
  return owner === 'gone' || state === 'paused' || state === 'stopped';
}

function linesOf(run: Run, state: ShownState, report: string): string[] {
  return [
    `run       ${run.id}: ${state.words}`,
    `job       ${run.job} (${run.operation}), to ${run.target}`,
    `file      ${run.file}`,
    `rows      ${run.rows}, ${openRows(run)} without an outcome yet`,
    `outcomes  ${outcomesOf(run)}`,
    `began     ${run.startedAt ?? 'not yet'}${run.finishedAt === null ? '' : `, ended ${run.finishedAt}`}`,
    `report    ${report}`,
    ...(canGoOn(run, state)
      ? [`to go on  onboard run ${run.job} ${run.file}${run.target === SANDBOX_TARGET ? ' --sandbox' : ''}`]
      : []),
  ];
}
