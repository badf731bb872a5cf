import { basename } from 'node:path';
import { countOf, type Io, say } from '../lib/terminal.ts';
import { openRows, type Run } from '../model/run.ts';
import { withLedger } from '../runs/find-run.ts';
import { outcomesOf } from '../runs/progress.ts';
import { goingOnWith, type ShownState, stateOf } from '../runs/run-state.ts';
import type { Ledger } from '../session.ts';
import { type AddCommand, wholeNumber } from './command.ts';

type Flags = { readonly json?: boolean; readonly limit: number };
type Listed = { readonly run: Run; readonly state: ShownState };

/** `onboard runs`: the runs of this ledger, newest first. */
export const addRunsCommand: AddCommand = (program, io, done) => {
  program
    .command('runs')
    .description('List the runs, newest first')
    .option('--limit <n>', 'how many', wholeNumber, 20)
    .option('--json', 'a JSON line per run')
    .addHelpText('after', '\nExample:\n  onboard runs --limit 5')
    .action(async (flags: Flags) => done(await listRuns(flags, io)));
};

async function listRuns({ json, limit }: Flags, io: Io): Promise<number> {
  const listed = await withLedger(io, (ledger) => latestRuns(ledger, limit));
  if (json === true)
    for (const { run, state } of listed)
      say(io, JSON.stringify({ ...run, source: undefined, chunkEnds: undefined, owner: state.owner }));
  else if (listed.length === 0) say(io, 'No runs yet. `onboard run <job> <file>` makes one.');
  else for (const line of listed.map(lineOf)) say(io, line);
  return 0;
}

async function latestRuns(ledger: Ledger, limit: number): Promise<Listed[]> {
  const listed: Listed[] = [];
  for (const { run: id, target } of await ledger.index.latest(limit)) {
    const { store } = ledger.of(target);
    const run = await store.get(id);
    if (run !== null) listed.push({ run, state: stateOf(run, await store.hasLease(id)) });
  }
  return listed;
}

function lineOf({ run, state }: Listed): string {
  const open = openRows(run);
  const goOn = goingOnWith(run, state);
  const from = run.parent === null ? basename(run.file) : `rerun of ${run.parent}`;
  const rows = `${countOf(run.rows, 'row')}${open === 0 ? '' : `, ${open} open`}`;
  const outcomes = run.rows === 0 ? '' : `, ${outcomesOf(run)}`;
  return `${run.id}  ${state.words.padEnd(22)} ${run.job}, ${from} to ${run.target}: ${rows}${outcomes}${goOn === null ? '' : `; to go on: ${goOn}`}`;
}
