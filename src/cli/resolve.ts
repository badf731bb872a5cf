import type { Environment } from '../config/environment.ts';
import type { RowDecision } from '../ledger/resolve-entry.ts';
import { resolveRows } from '../ledger/resolve-rows.ts';
import { createRunView } from '../ledger/run-view.ts';
import { type Io, say } from '../lib/terminal.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Run } from '../model/run.ts';
import { findRun, withLedger } from '../runs/find-run.ts';
import { refuseMisplaced, type Told } from '../runs/resolve-check.ts';
import { readDecisions } from '../runs/resolve-file.ts';
import { withMates } from '../runs/resolve-group.ts';
import { lookUpOnDemand } from '../runs/resolve-look-up.ts';
import { type Resolved, resolvedOf } from '../runs/resolve-outcome.ts';
import { rewriteReport } from '../runs/resolve-report.ts';
import { decider, type ResolveFlags, type ResolveRequest, resolveRequest } from '../runs/resolve-request.ts';
import type { Ledger } from '../session.ts';
import type { AddCommand } from './command.ts';
import { decidesNothing, resolvedJson, resolvedLines } from './resolve-words.ts';

/** `onboard resolve <run>`: rows in doubt are settled by what somebody found at the service. */
export const addResolveCommand: AddCommand = (program, io, done) => {
  program
    .command('resolve')
    .description('Settle rows in doubt: say what became of them at the service, or have it asked')
    .argument('<run>', 'id of a run, from `onboard runs`')
    .argument('[row]', 'number of a row, with --created or --not-created')
    .option('--created <id>', 'the row was created, under this id')
    .option('--not-created', 'the row was not created: it may be sent again')
    .option('--file <file>', 'an in-doubt.csv or .ndjson with its resolutions filled in')
    .option('--lookup', "ask the service for every row in doubt, as the job's `lookup` says")
    .option('--job-file <file>', 'with --lookup: a definition from elsewhere')
    .option('--by <name>', 'who decides; default: user@host')
    .option('--json', 'print what became of the rows as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (run: string, row: string | undefined, flags: ResolveFlags) =>
      done(await resolve(run, { request: resolveRequest(row, flags), flags }, io)),
    );
};

type Asked = { readonly request: ResolveRequest; readonly flags: ResolveFlags };
type Desk = { readonly io: Io; readonly env: Environment; readonly ledger: Ledger };

async function resolve(id: string, { request, flags }: Asked, io: Io): Promise<number> {
  const by = decider(flags.by);
  return withLedger(io, async (ledger, env) => {
    const desk = { io, env, ledger };
    const run = await findRun(ledger, id);
    const resolved = await carryOut(run, { request, by }, desk);
    const after = await findRun(ledger, id);
    const report = await rewriteReport(after, { request, resolved }, desk);
    const outcome = { run: after, by: request.kind === 'lookup' ? 'lookup' : by, request, resolved, report };
    if (flags.json === true) say(io, resolvedJson(outcome));
    else for (const line of resolvedLines(outcome)) say(io, line);
    if (report.kind === 'written' && !report.summary.controlTotal.holds) return 3;
    return resolved.refused.length > 0 || decidesNothing(request, resolved) ? 1 : 0;
  });
}

async function carryOut(
  run: Run,
  { request, by }: { readonly request: ResolveRequest; readonly by: string },
  desk: Desk,
): Promise<Resolved> {
  switch (request.kind) {
    case 'lookup':
      return lookUpOnDemand(run, request.jobFile, desk);
    case 'row':
      return decide(run, { by, decisions: [request], open: 0, told: [toldByCommand(request)] }, desk);
    case 'file':
      return decide(
        run,
        { by, ...(await readDecisions(request.path, run, await keyColumn(run, desk))) },
        desk,
      );
    default:
      return request satisfies never;
  }
}

type Decided = {
  readonly by: string;
  readonly decisions: readonly RowDecision[];
  readonly open: number;
  readonly told: readonly Told[];
};

function toldByCommand({ row, decision }: RowDecision): Told {
  return { where: '--created', row, key: null, decision };
}

/** The column that tells the run's rows apart, `null` for a job without a key. */
async function keyColumn(run: Run, { ledger }: Desk): Promise<string | null> {
  const definition = await ledger.of(run.target).store.definition(run.id);
  if (definition !== null) return definition.key ?? null;
  throw new UsageError(`The ledger has no definition of run ${run.id}: resolve its rows one by one.`);
}

async function decide(run: Run, decided: Decided, { ledger }: Desk): Promise<Resolved> {
  const { by, told } = decided;
  const { keys, store } = ledger.of(run.target);
  const view = createRunView(ledger.redis, keys, run);
  await refuseMisplaced(view, told);
  const isGrouped = (await store.definition(run.id))?.group !== undefined;
  const { decisions, mates } = isGrouped
    ? await withMates(view, decided.decisions)
    : { ...decided, mates: [] };
  const answers = await resolveRows(ledger.redis, keys, { run, by, at: new Date(), decisions });
  // Lines that were left open are settled with the others of their key.
  const settledOpen = told.filter(({ row }) => mates.includes(row)).length;
  const answered = { decisions, answers, open: decided.open - settledOpen, mates: mates.length };
  return resolvedOf(run, answered, { redis: ledger.redis, keys });
}

const EXAMPLE = `
Examples:
  onboard resolve 20261121-034512-k3f9 17 --created sub-0017
  onboard resolve 20261121-034512-k3f9 18 --not-created
  onboard resolve 20261121-034512-k3f9 --file in-doubt.csv
  onboard resolve 20261121-034512-k3f9 --lookup

In the file, onboard_resolution is created:<id>, not-created, or empty where a row is still open.
The exit status is 1 where a decision was refused, or the file had none.`;
