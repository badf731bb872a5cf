import { createSharedWeather } from '../ledger/weather.ts';
import { type Io, say, shownTime } from '../lib/terminal.ts';
import { openRows, type Run } from '../model/run.ts';
import { summarize } from '../report/summary.ts';
import { findRun, withLedger } from '../runs/find-run.ts';
import { outcomesOf } from '../runs/progress.ts';
import { goingOnWith, type ShownState, stateOf } from '../runs/run-state.ts';
import { serviceWords } from '../runs/service-words.ts';
import { reportDirectory } from '../session.ts';
import type { AddCommand } from './command.ts';
import { type OverviewFlags, showOverview } from './status-overview.ts';

/** `onboard status [run]`: one run in numbers, or what is going on. */
export const addStatusCommand: AddCommand = (program, io, done) => {
  program
    .command('status')
    .description('One run in numbers, or without one what is under way, what waits and why')
    .argument('[run]', 'id of a run, from `onboard runs`')
    .option('--sandbox', 'without a run: for the built-in stand-in instead of MSB_BASE_URL')
    .option('--json', 'as JSON; of a run with the fields of summary.json')
    .addHelpText('after', '\nExamples:\n  onboard status\n  onboard status 20261121-034512-k3f9 --json')
    .action(async (run: string | undefined, flags: OverviewFlags) =>
      done(run === undefined ? await showOverview(flags, io) : await showStatus(run, flags, io)),
    );
};

async function showStatus(id: string, flags: { readonly json?: boolean }, io: Io): Promise<number> {
  return withLedger(io, async (ledger, env) => {
    const run = await findRun(ledger, id);
    const state = stateOf(run, await ledger.of(run.target).store.hasLease(id));
    const report = reportDirectory(env, id);
    const service = await createSharedWeather(ledger.redis, ledger.of(run.target).keys).read();
    if (flags.json === true) {
      const summary = summarize(run, [], new Date());
      say(io, JSON.stringify({ ...summary, owner: state.owner, service, report }, null, 2));
    } else
      for (const line of [...linesOf(run, state, report), `service   ${serviceWords(service)}`])
        say(io, line);
    return 0;
  });
}

function linesOf(run: Run, state: ShownState, report: string): string[] {
  const goOn = goingOnWith(run, state);
  return [
    `run       ${run.id}: ${state.words}`,
    `job       ${run.job} (${run.operation}), to ${run.target}`,
    `file      ${run.file}`,
    ...(run.parent === null ? [] : [`rerun of  ${run.parent}`]),
    `rows      ${run.rows}, ${openRows(run)} without an outcome yet`,
    ...(run.rows === 0 ? [] : [`outcomes  ${outcomesOf(run)}`]),
    `began     ${run.startedAt === null ? 'not yet' : timeOf(run.startedAt)}${run.finishedAt === null ? '' : `, ended ${timeOf(run.finishedAt)}`}`,
    `report    ${report}`,
    ...(goOn === null ? [] : [`to go on  ${goOn}`]),
  ];
}

function timeOf(iso: string): string {
  return shownTime(new Date(iso), 'UTC', { seconds: true });
}
