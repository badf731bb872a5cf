import type { Job } from '../../config/job-definition.ts';
import type { Inbox } from './inbox-folder.ts';
import { patternsOf } from './match-job.ts';

/** Why a file that no job takes was put aside, for its sender. */
export function noJobWords(path: string, inbox: Inbox): string {
  const patterns = [...new Set(inbox.jobs.flatMap(({ definition }) => patternsOf(definition.files)))].sort();
  const expected =
    patterns.length === 0
      ? 'no job names the files that it takes'
      : `expected a name such as one of these: ${patterns.join(', ')}`;
  return `its name and folder (${path}) belong to no kind of load: ${expected}`;
}

/** Why a file that several jobs would take was put aside. */
export function severalJobsWords(path: string, jobs: readonly Job[]): string {
  const names = jobs.map(({ name }) => name).join(' and ');
  return `its name and folder (${path}) belong to more than one kind of load (${names}): it is not clear which one is meant`;
}
