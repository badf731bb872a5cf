import type { Job } from '../config/job-definition.ts';
import { listJobs } from '../config/load-job.ts';
import { type Operation, REPEATABLE } from '../model/operation.ts';
import { loadFittingJob } from '../runs/input.ts';
import { counted, type Finding, ok, problemsOf, warning } from './doctor-finding.ts';

/** Every job definition of the folder: whether it is valid, and whether it gives up a promise. */
export async function checkJobs(folder: string): Promise<Finding[]> {
  try {
    const names = await listJobs(folder);
    const found = await Promise.all(names.map((name) => checkJob(name, folder)));
    return [...judgeCount(names.length, folder, found), ...found.flat()];
  } catch (error) {
    return problemsOf('jobs', error, 'Set ONBOARD_JOBS to a folder that this user may read.');
  }
}

async function checkJob(name: string, folder: string): Promise<Finding[]> {
  try {
    return judgeJob(await loadFittingJob(name, folder));
  } catch (error) {
    return problemsOf('jobs', error, 'Correct the definition; `onboard schema` says what may stand in it.');
  }
}

function judgeCount(count: number, folder: string, found: readonly (readonly Finding[])[]): Finding[] {
  if (count === 0) {
    const advice = 'Set ONBOARD_JOBS, or name a definition with --job-file.';
    return [warning('jobs', `${folder} has no job definitions`, advice)];
  }
  const valid = found.filter((one) => one.every(({ status }) => status !== 'problem')).length;
  return valid === 0 ? [] : [ok('jobs', `${counted(valid, 'valid definition')} in ${folder}`)];
}

/** The settings of a job that give up a promise (DESIGN.md, section 1). */
export function judgeJob({ name, definition }: Job): Finding[] {
  const { operation, onUnknownOutcome } = definition;
  if (onUnknownOutcome !== 'retry' || !mayCreate(operation)) return [];
  const finding = `${name} has onUnknownOutcome: retry, which gives up "never twice": a create whose answer was lost is sent again`;
  return [warning('jobs', finding, `Set onUnknownOutcome: hold; such rows end as in-doubt.`)];
}

function mayCreate(operation: Operation): boolean {
  return operation === 'subclient.upsert' || !REPEATABLE[operation];
}
