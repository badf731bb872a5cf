import type { Service } from '../delivery/target.ts';
import { type Io, say, tell } from '../lib/terminal.ts';
import { exitCodeOf, isOver, type Run } from '../model/run.ts';
import { renderSummary } from '../report/words.ts';
import type { Executed } from '../runs/execute.ts';
import { reportDirectory, type Session } from '../session.ts';

/** The last words of a command that took a run as far as it goes, and its exit status. */
export type EndedFlags = { readonly json?: boolean; readonly jobFile?: string };

export const INTERRUPTED_EXIT = 4;

/** Prints the summary and how to go on; `service`: null where nothing was to be sent. */
export function tellEnded(
  { run, summary }: Executed,
  { io, env }: Pick<Session, 'io' | 'env'>,
  { service, flags }: { readonly service: Service | null; readonly flags: EndedFlags },
): number {
  const directory = reportDirectory(env, run.id);
  const job = flags.jobFile === undefined ? {} : { job: `--job-file ${flags.jobFile}` };
  say(
    io,
    flags.json === true
      ? JSON.stringify(summary)
      : renderSummary(summary, { directory, typed: io.typed, ...job }),
  );
  if (isOver(run)) return summary.exitCode ?? exitCodeOf(run);
  const problem = service?.credentials.problem() ?? null;
  if (problem !== null) tell(io, problem);
  // For people the summary has it.
  const isSaid = flags.json !== true && (summary.state === 'paused' || summary.state === 'stopped');
  if (!isSaid) for (const line of goingOn(run, io)) tell(io, line);
  return io.interrupted.aborted ? INTERRUPTED_EXIT : exitCodeOf(run);
}

/** The commands that go on with a run; the one that was typed comes first, since it may name more than the run. */
function goingOn({ id, state }: Run, { typed }: Io): string[] {
  if (state === 'cancelled') return [`To wind it up: onboard cancel ${id}`];
  const resume = `onboard resume ${id}`;
  return typed.startsWith(resume) ? [`To go on: ${typed}`] : [`To go on: ${typed}`, `      or: ${resume}`];
}
