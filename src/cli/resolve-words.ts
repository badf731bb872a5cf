import { countOf } from '../lib/terminal.ts';
import { exitCodeOf, type Run } from '../model/run.ts';
import type { Resolved } from '../runs/resolve-outcome.ts';
import type { Rewritten } from '../runs/resolve-report.ts';
import type { ResolveRequest } from '../runs/resolve-request.ts';

/** All there is to say about one `onboard resolve`. */
export type ResolveOutcome = {
  /** As it is now. */
  readonly run: Run;
  readonly by: string;
  readonly request: ResolveRequest;
  readonly resolved: Resolved;
  readonly report: Rewritten;
};

const REFUSED_SHOWN = 20;

/** What became of the decisions and how to go on, for people. */
export function resolvedLines(outcome: ResolveOutcome): string[] {
  const { run, by, request, resolved, report } = outcome;
  const counts = [
    ['created', resolved.created],
    ['not created', resolved.notCreated],
    ['unchanged', resolved.unchanged],
    ['still open', resolved.open],
    ['refused', resolved.refused.length],
  ] as const;
  const width = Math.max(...counts.map(([, count]) => String(count).length));
  return [
    `Run ${run.id}: resolved by ${by}`,
    ...counts.map(([what, count]) => `  ${what.padEnd(12)} ${String(count).padStart(width)}`),
    ...(decidesNothing(request, resolved) ? [`  ${nothingFilledIn(resolved)}`] : []),
    ...refusedLines(resolved),
    ...mateLines(resolved),
    '',
    ...reportLines(report),
    ...nextLines(outcome),
  ];
}

/** The same for programs, on one line. */
export function resolvedJson({ run, by, resolved, report }: ResolveOutcome): string {
  return JSON.stringify({
    run: run.id,
    by,
    ...resolved,
    inDoubt: run.outcomes['in-doubt'],
    outcomes: run.outcomes,
    state: run.state,
    exitCode: hasEnded(run) ? exitCodeOf(run) : null,
    report: report.kind === 'written' ? report.directory : null,
    kept: report.kind === 'written' ? report.kept : null,
  });
}

/** Whether a file was given whose lines are all still open. */
export function decidesNothing(request: ResolveRequest, resolved: Resolved): boolean {
  const { created, notCreated, unchanged, open, refused } = resolved;
  return request.kind === 'file' && open > 0 && created + notCreated + unchanged + refused.length === 0;
}

function nothingFilledIn({ open }: Resolved): string {
  return (
    `No resolution is filled in: 0 rows resolved, ${open} still open.\n` +
    '  Expected created:<id> or not-created as onboard_resolution.'
  );
}

function refusedLines({ refused }: Resolved): string[] {
  const lines = refused.slice(0, REFUSED_SHOWN).map(({ row, why }) => `    row ${row} ${why}`);
  const more = refused.length - REFUSED_SHOWN;
  return more > 0 ? [...lines, `    … and ${more} more; --json lists them all`] : lines;
}

function mateLines({ mates }: Resolved): string[] {
  if (mates === 0) return [];
  const rows = `${countOf(mates, 'row')} of these ${mates === 1 ? 'was' : 'were'}`;
  return [`  ${rows} not named: rows of one key that follow each other are one record`];
}

function reportLines(report: Rewritten): string[] {
  if (report.kind === 'of-another')
    return ['The run is under way: its report is written by the process that carries it on.'];
  const written = `Report: ${report.directory}`;
  return report.kept === null
    ? [written]
    : [written, `  ${report.kept} was left as it is: decisions that were not carried out are in it.`];
}

function nextLines({ run, resolved, report }: ResolveOutcome): string[] {
  const left = run.outcomes['in-doubt'];
  const words = `${countOf(left, 'row')} ${left === 1 ? 'is' : 'are'}`;
  const doubt = left === 0 ? 'No row is in doubt any more' : `${words} still in doubt`;
  const status = hasEnded(run) ? `; the run's exit status is now ${exitCodeOf(run)}.` : '.';
  return [`${doubt}${status}`, ...(hasNotCreated(resolved, report) ? rerunLines(run) : [])];
}

/** Settled by this command, or by an earlier one. */
function hasNotCreated({ notCreated }: Resolved, report: Rewritten): boolean {
  if (notCreated > 0) return true;
  return report.kind === 'written' && report.summary.topErrors.some(({ code }) => code === 'not_created');
}

function rerunLines({ id }: Run): string[] {
  return [
    'To send the rows that were not created, with the others that failed:',
    `  onboard rerun ${id} --only failed`,
  ];
}

function hasEnded({ state }: Run): boolean {
  return state !== 'running' && state !== 'queued';
}
