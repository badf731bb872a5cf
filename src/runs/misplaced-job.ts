import { stat } from 'node:fs/promises';
import { extname } from 'node:path';
import { shellWord } from '../lib/terminal.ts';

/** A command line as far as it says which job and which files are meant. */
export type Placing = {
  readonly command: 'run' | 'check';
  /** What stands where a job is expected. */
  readonly job: string;
  readonly files: readonly string[];
  /** The whole command as it was typed. */
  readonly typed: string;
};

/** What was probably meant where a file stands in a job's place, with the right command; `null` where none does. */
export async function misplacedJob(given: Placing, jobs: readonly string[]): Promise<string | null> {
  const { command, job, files } = given;
  if (jobs.includes(job) || !(await isFile(job))) return null;
  if (['.yaml', '.yml'].includes(extname(job))) {
    const meant = retyped(given, ['--job-file', job, ...files]);
    return `"${job}" is a file, and expected is the name of a job in ONBOARD_JOBS, or --job-file: ${meant}`;
  }
  const swapped = files.find((file) => jobs.includes(file));
  if (swapped !== undefined) {
    const rest = files.filter((file) => file !== swapped);
    return `"${job}" is a file and "${swapped}" a job; expected the job first: ${retyped(given, [swapped, job, ...rest])}`;
  }
  const known = jobs.length === 0 ? '' : `, with one of ${jobs.join(', ')} for its job`;
  return `"${job}" is a file; expected a job before it: \`onboard ${command} <job> ${[job, ...files].map(shellWord).join(' ')}\`${known}.`;
}

/** The command with other words in the place of job and files; the options stay where they stand beside them. */
function retyped({ command, job, files, typed }: Placing, words: readonly string[]): string {
  const before = [command, job, ...files].map(shellWord).join(' ');
  const after = [command, ...words].map(shellWord).join(' ');
  const whole = typed.includes(before) ? typed.replace(before, () => after) : `onboard ${after}`;
  return `\`${whole}\``;
}

function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
