/** `onboard resolve <run>`: rows in doubt are settled by what somebody found. */
import { countOf, type Io, say, sayJson } from '../../lib/terminal.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { exitCodeOf } from '../../model/exit.ts';
import type { Decision } from '../../model/resolution.ts';
import { isUnderWay, type Run } from '../../model/run.ts';
import { keptLines, pagesOf, renderNext } from '../../runs/report/words.ts';
import {
  type Resolved,
  type ResolveRequest,
  type Rewritten,
  resolveRun,
  rewriteReport,
} from '../../runs/resolve.ts';
import { typedIdProblem } from '../../runs/resolve-file.ts';
import { findRun } from '../../runs/status.ts';
import { withKnownLedger } from '../../session.ts';
import { type AddCommand, askOfMany, RUN_ARGUMENT, rowNumber, YES } from './command.ts';

const FOR_GOOD = "What is decided can't be taken back.";

type ResolveFlags = {
  readonly created?: string;
  readonly notCreated?: boolean;
  readonly file?: string;
  readonly lookup?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
};

export const addResolveCommand: AddCommand = (program, io, done) => {
  program
    .command('resolve')
    .description('Settle rows in doubt: say what became of them at the service, or have it asked')
    .argument('<run>', RUN_ARGUMENT)
    .argument('[row]', 'number of a row, with --created or --not-created')
    .option('--created <id>', 'the row was created, under this id')
    .option('--not-created', 'the row was not created: it may be sent again')
    .option('--file <file>', 'an in-doubt.csv or .ndjson with its resolutions filled in')
    .option('--lookup', "ask the service for every row in doubt, as the job's `lookup` says")
    .option(...YES)
    .option('--json', 'print what became of the rows as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (run: string, row: string | undefined, flags: ResolveFlags) =>
      done(await resolve(run, { request: resolveRequest(row, flags), flags }, io)),
    );
};

type Asked = { readonly request: ResolveRequest; readonly flags: ResolveFlags };

async function resolve(named: string, { request, flags }: Asked, io: Io): Promise<number> {
  return withKnownLedger(io, async (session) => {
    const by = session.env.actor.name;
    const run = await findRun(session.ledger, named);
    const resolved = await resolveRun(run, request, by, session, ({ created, notCreated }) =>
      askOfMany(created + notCreated, decisionWords(created, notCreated), flags, io),
    );
    const after = await findRun(session.ledger, run.id);
    const report = await rewriteReport(after, { request, resolved }, session);
    const outcome = { run: after, by: request.kind === 'lookup' ? 'lookup' : by, request, resolved, report };
    if (flags.json === true) sayJson(io, resolvedJson(outcome));
    else for (const line of resolvedLines(outcome)) say(io, line);
    if (report.kind === 'written' && !report.summary.controlTotal.holds) return 3;
    return resolved.refused.length > 0 || decidesNothing(request, resolved) ? 1 : 0;
  });
}

function decisionWords(created: number, notCreated: number): string {
  const again = `${countOf(notCreated, 'row')} as not created, which may be sent again`;
  const what = `${countOf(created, 'row')} will be settled as created, ${again}`;
  return `${what}: those that the service has would be made twice. ${FOR_GOOD} Settle them?`;
}

const EXPECTED = 'expected one of: ROW --created ID, ROW --not-created, --file FILE, --lookup';

function resolveRequest(row: string | undefined, flags: ResolveFlags): ResolveRequest {
  const { created, notCreated, file, lookup } = flags;
  const ways = [created, notCreated, file, lookup];
  const given = ways.filter((way) => way !== undefined && way !== false);
  const isOfRow = created !== undefined || notCreated === true;
  const namesRow = row !== undefined;
  if (given.length !== 1 || isOfRow !== namesRow) throw new UsageError(EXPECTED);
  if (file !== undefined) return { kind: 'file', path: file };
  if (row === undefined) return { kind: 'lookup' };
  return { kind: 'rows', rows: [{ row: rowNumber(row), decision: decisionOf(created) }] };
}

function decisionOf(created: string | undefined): Decision {
  if (created === undefined) return { kind: 'not-created' };
  const problem = typedIdProblem(created);
  if (problem !== null) throw new UsageError(`--created: expected an id${problem}`);
  return { kind: 'created', id: created };
}

type ResolveOutcome = {
  /** The run as it is after the decisions. */
  readonly run: Run;
  readonly by: string;
  readonly request: ResolveRequest;
  readonly resolved: Resolved;
  readonly report: Rewritten;
};

const REFUSED_SHOWN = 20;
const NOTHING_FILLED_IN =
  '  No resolution is filled in: expected created:<id> or not-created as onboard_resolution.';

function resolvedLines(outcome: ResolveOutcome): string[] {
  const { run, by, request, resolved, report } = outcome;
  const counts = [
    [resolved.createdAs, resolved.created],
    ['not created', resolved.notCreated],
    ['unchanged', resolved.unchanged],
    ['refused', resolved.refused.length],
    ['still in doubt', run.outcomes['in-doubt']],
  ] as const;
  const width = Math.max(...counts.map(([, count]) => String(count).length));
  const lines = [`Run ${run.id}: resolved by ${by}`];
  for (const [what, count] of counts) {
    lines.push(`  ${what.padEnd(14)} ${String(count).padStart(width)}`);
  }
  if (resolved.created + resolved.notCreated > 0) lines.push(`  ${FOR_GOOD}`);
  if (decidesNothing(request, resolved)) lines.push(NOTHING_FILLED_IN);
  lines.push(...refusedLines(resolved), ...memberLines(resolved), '');
  return [...lines, ...reportLines(report), ...nextLines(outcome)];
}

function reportLines(report: Rewritten): readonly string[] {
  if (report.kind !== 'written') {
    return ['The run is under way: its report is written by the process that executes it.'];
  }
  const [page] = pagesOf(report.summary, report.directory);
  return [`Report: ${page}`, ...keptLines(report.summary)];
}

function resolvedJson({ run, by, resolved, report }: ResolveOutcome): string {
  const kept = report.kind === 'written' ? report.summary.kept : [];
  return JSON.stringify({
    run: run.id,
    by,
    ...resolved,
    inDoubt: run.outcomes['in-doubt'],
    outcomes: run.outcomes,
    state: run.state,
    exitCode: isUnderWay(run) ? null : exitCodeOf(run),
    report: report.kind === 'written' ? report.directory : null,
    kept: kept.find((name) => name.startsWith('in-doubt.')) ?? null,
    keptFiles: kept,
  });
}

/** A file in which no resolution is filled in. */
function decidesNothing(request: ResolveRequest, resolved: Resolved): boolean {
  const { created, notCreated, unchanged, undecided, refused } = resolved;
  const decided = created + notCreated + unchanged + refused.length;
  return request.kind === 'file' && undecided > 0 && decided === 0;
}

function refusedLines({ refused }: Resolved): string[] {
  const lines = refused.slice(0, REFUSED_SHOWN).map(({ row, why }) => `    row ${row} ${why}`);
  const more = refused.length - REFUSED_SHOWN;
  return more > 0 ? [...lines, `    … and ${more} more; --json lists them all`] : lines;
}

function memberLines({ mates: members }: Resolved): string[] {
  if (members === 0) return [];
  const rows = `${countOf(members, 'row')} of these ${members === 1 ? 'was' : 'were'}`;
  return [`  ${rows} not named: rows of one key that follow each other are one record`];
}

function nextLines({ run, report }: ResolveOutcome): string[] {
  const status = isUnderWay(run) ? [] : [`The run's exit status is now ${exitCodeOf(run)}.`];
  const next = report.kind === 'written' ? renderNext(report.summary, report) : [];
  return [...status, ...next];
}

const EXAMPLE = `
Examples:
  onboard resolve 20261121-034512-k3f9 17 --created sub-0017
  onboard resolve 20261121-034512-k3f9 18 --not-created
  onboard resolve 20261121-034512-k3f9 --file in-doubt.csv
  onboard resolve 20261121-034512-k3f9 --lookup

In the file, onboard_resolution is created:<id>, not-created, or empty where nothing is decided.
${FOR_GOOD}
The exit status is 1 where a decision was refused, or the file had none.`;
