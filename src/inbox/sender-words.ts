import type { Job } from '../config/job-definition.ts';
import type { Entry } from './entry.ts';
import type { Inbox } from './inbox-folder.ts';
import { patternsOf } from './match-job.ts';

/** What is at fault where a file is refused. */
export type Fault = 'content' | 'name' | 'no-load' | 'several-loads' | 'kind' | 'job';

/** What its sender can do. */
export const REFUSAL_ADVICE: Readonly<Record<Fault, string>> = {
  content:
    'Mend that, and put the file into the inbox again under its first name; where it becomes several files, each under a name of the same kind.',
  name: 'Its content was not read. Put it into the inbox again under another name.',
  'no-load':
    'Its content was not read. Put it into the inbox again under a name, and in a folder, that belong to a kind of load.',
  'several-loads':
    'Its content was not read. Put it into the inbox again under a name, or in a folder, that belongs to one of them only.',
  kind: 'Put the file itself into the inbox: a plain file that has no other name.',
  job: 'Put it into the inbox again once there is such a job.',
};

/** What is at fault with an entry that can't be taken whatever its job. */
export function entryFault({ kind, links }: Pick<Entry, 'kind' | 'links'>): Fault {
  return kind === 'file' && links === 1 ? 'name' : 'kind';
}

/** Why a file that no job takes was put aside, for its sender. */
export function noJobWords(inbox: Inbox): string {
  const patterns = [...new Set(inbox.jobs.flatMap(({ definition }) => patternsOf(definition.files)))].sort();
  const expected =
    patterns.length === 0
      ? 'no job names the files that it takes'
      : `expected a name such as one of these: ${patterns.join(', ')}`;
  return `its name and folder belong to no kind of load: ${expected}`;
}

/** Why a file that several jobs would take was put aside. */
export function severalJobsWords(jobs: readonly Job[]): string {
  const names = jobs.map(({ name }) => name).join(' and ');
  return `its name and folder belong to more than one kind of load (${names}): it is not clear which one is meant`;
}

/** Why, without the name of the file, which whoever is told it has read already: `it is empty: expected …`. */
export function withoutName(why: string, name: string): string {
  if (!why.startsWith(`${name}: `)) return why;
  const rest = why.slice(name.length + 2);
  return /^(is|has|was|expands) /.test(rest) ? `it ${rest}` : rest;
}
