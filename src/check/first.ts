import { jobsBefore } from '../config/job-order.ts';
import { countOf } from '../lib/count-of.ts';
import { type Io, tell } from '../lib/io.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Input } from '../runs/input.ts';
import { waitForJobs } from '../runs/register.ts';
import type { Ledger } from '../session.ts';
import { createChecker } from './file.ts';
import type { Checked } from './findings.ts';
import { createLook } from './ledger.ts';
import { readSurveyed } from './reading.ts';
import { checkLines, waitingWords } from './words.ts';

/**
 * Throws a UsageError, with what was found on stderr, where a row of any of the files would be invalid or refers to a
 * record that there is not. Runs that come before are waited for, since they may create it; false: interrupted meanwhile.
 */
export async function passesCheck(
  { job, files }: Input,
  target: string,
  { ledger, io }: { readonly ledger: Pick<Ledger, 'redis' | 'of'>; readonly io: Io },
): Promise<boolean> {
  if (!(await waitForJobs(jobsBefore(job.definition), target, { ledger, io }))) return false;
  const checkFile = createChecker(job, createLook(ledger, target));
  const failing: Checked[] = [];
  for (const facts of files) {
    const checked = await checkFile(readSurveyed(facts, job.definition.format));
    if (checked.invalid + checked.waiting === 0) continue;
    for (const line of checkLines(checked, job.definition)) tell(io, line);
    failing.push(checked);
  }
  if (failing.length > 0) throw new UsageError(failing.map(refusal));
  return true;
}

function refusal({ file, rows, invalid, waiting }: Checked): string {
  const parts = [
    ...(invalid === 0 ? [] : [`${invalid} would be invalid`]),
    ...(waiting === 0 ? [] : [waitingWords(waiting)]),
  ];
  const steps = [
    ...(invalid === 0 ? [] : ['mend the invalid rows']),
    ...(waiting === 0 ? [] : ['load first what rows refer to']),
  ].join(', ');
  const first = steps.charAt(0).toUpperCase() + steps.slice(1);
  return (
    `${file}: of ${countOf(rows, 'row')} ${parts.join(', ')}, and --check-first was asked for: nothing was begun. ` +
    `${first}, or run without it: the other rows are sent then.`
  );
}
