import { shownTime } from '../lib/terminal.ts';
import type { Waiting, WaitReason } from './placed.ts';

/** Every upload goes through these: it is no news. */
const PASSING: readonly WaitReason['kind'][] = ['writing', 'unfinished', 'restless'];

/** Why files wait, one line per job and reason, by a key that stays the same as long as they do. */
export function waitingLines(
  waiting: readonly Waiting[],
  next: ReadonlyMap<string, Date>,
): ReadonlyMap<string, string> {
  return groupedLines(
    waiting.filter(({ why }) => !PASSING.includes(why.kind)),
    next,
  );
}

/** What is left in the inboxes where nobody looks at them any more, and why; empty where nothing is. */
export function leftWords(waiting: readonly Waiting[], next: ReadonlyMap<string, Date>): string {
  const lines = [...groupedLines(waiting, next).values()];
  return lines.length === 0 ? '' : ['Left in the inbox:', ...lines].join('\n  ');
}

function groupedLines(
  waiting: readonly Waiting[],
  next: ReadonlyMap<string, Date>,
): ReadonlyMap<string, string> {
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    const key = [one.job ?? '', one.why.kind, one.why.kind === 'after' ? one.why.job : ''].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return new Map([...groups].map(([key, group]) => [key, lineOf(group, next)]));
}

function lineOf(group: readonly Waiting[], next: ReadonlyMap<string, Date>): string {
  const [first] = group;
  if (first === undefined) return '';
  const more = group.length === 1 ? ' waits' : ` and ${group.length - 1} more wait`;
  return `${first.entry.path}${more} ${reasonWords(first, next)}`;
}

/** `for the schedule of job …, next 2026-11-21 22:00 UTC`: to be read after "waits". */
export function reasonWords(
  { job, why }: Pick<Waiting, 'job' | 'why'>,
  next: ReadonlyMap<string, Date>,
): string {
  switch (why.kind) {
    case 'writing':
      return 'until nothing of it has changed for a while';
    case 'unfinished':
      return 'until it is renamed: its name says that it is not whole yet';
    case 'restless':
      return 'until nothing of it has changed for a while: it is still written to, and is left for the next start';
    case 'marker':
      return `for its marker file, of its own name and ${why.marker}`;
    case 'schedule':
      return `for the schedule of job ${job ?? ''}, ${nextWords(next.get(job ?? ''))}`;
    case 'window':
      return `for the window ${why.window} of job ${job ?? ''} to open`;
    case 'after':
      return `for job ${why.job}: ${why.because}`;
    case 'broken':
      return `until the definition of ${why.jobs.join(', ')} is mended`;
    default:
      return why satisfies never;
  }
}

/** When a schedule fires next. */
function nextWords(next: Date | undefined): string {
  return next === undefined ? 'which no watcher has set yet' : `next ${shownTime(next, 'UTC')}`;
}
