import type { Waiting } from '../intake/inbox/placed.ts';

/** Why files wait, one line per job and reason, by a key that stays the same as long as they do. */
export function waitingLines(
  waiting: readonly Waiting[],
  next: ReadonlyMap<string, Date>,
): ReadonlyMap<string, string> {
  const groups = new Map<string, Waiting[]>();
  for (const one of waiting) {
    if (one.why.kind === 'writing') continue;
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

/** `for the schedule of job …, next 2026-11-21T22:00:00.000Z`: to be read after "waits". */
export function reasonWords(
  { job, why }: Pick<Waiting, 'job' | 'why'>,
  next: ReadonlyMap<string, Date>,
): string {
  switch (why.kind) {
    case 'writing':
      return 'until nothing of it has changed for a while';
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
export function nextWords(next: Date | undefined): string {
  return next === undefined ? 'which no watcher has set yet' : `next ${next.toISOString()}`;
}
