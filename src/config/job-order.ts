import { didYouMean } from '../lib/did-you-mean.ts';
import type { JobDefinition } from './job-definition.ts';
import type { JobProblem } from './job-problems.ts';

export type JobNames = {
  /** The job's own. */
  readonly name: string;
  /** All that there are in its folder, `null` where that can't be known. */
  readonly jobs: readonly string[] | null;
};

/** The jobs whose runs come before those of this one (the setting `after`). */
export function jobsBefore({ after }: Pick<JobDefinition, 'after'>): readonly string[] {
  return after === undefined ? [] : [after].flat();
}

/** What is wrong with the names that `after` has. */
export function orderProblems(
  definition: Pick<JobDefinition, 'after'>,
  { name, jobs }: JobNames,
): readonly JobProblem[] {
  return jobsBefore(definition).flatMap((before) => {
    if (before === name) return [problem('expected other jobs: a job can not wait for itself.')];
    if (jobs === null || jobs.includes(before)) return [];
    return [problem(`there is no job "${before}" beside this one.${didYouMean(before, jobs)}`)];
  });
}

function problem(text: string): JobProblem {
  return { path: ['after'], problem: text };
}
