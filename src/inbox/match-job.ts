import picomatch from 'picomatch';
import type { Job } from '../config/job-definition.ts';
import type { Inbox } from './inbox-folder.ts';

/** The jobs that take a file of that path in the inbox; it should be one. */
export function jobsFor(path: string, inbox: Inbox): Job[] {
  return inbox.jobs.filter(({ definition }) => {
    const patterns = patternsOf(definition.files);
    // What lies in a folder of a job's own is for that job, unless its patterns say more.
    if (patterns.length === 0) return !inbox.isMain;
    return patterns.some((pattern) => matcherOf(pattern)(path));
  });
}

/** The patterns of a definition's `files`. */
export function patternsOf(files: string | readonly string[] | undefined): readonly string[] {
  if (files === undefined) return [];
  return typeof files === 'string' ? [files] : files;
}

const matchers = new Map<string, (path: string) => boolean>();

function matcherOf(pattern: string): (path: string) => boolean {
  const known = matchers.get(pattern);
  if (known !== undefined) return known;
  const matcher = picomatch(pattern, { dot: false });
  matchers.set(pattern, matcher);
  return matcher;
}
