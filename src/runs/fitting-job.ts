import type { Job, JobDefinition } from '../config/job-definition.ts';
import { loadJob, loadJobFile } from '../config/load-job.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { SourceInfo } from '../model/source.ts';
import { mappingFor } from '../session.ts';

/** The job of that name in the jobs folder; a UsageError also where it names fields that its operation doesn't have. */
export function loadFittingJob(name: string, jobsDirectory: string): Promise<Job> {
  return loadJob(name, jobsDirectory, definitionProblems);
}

/** The same for the job in that file. */
export function loadFittingJobFile(path: string): Promise<Job> {
  return loadJobFile(path, definitionProblems);
}

/** What is wrong with a definition whatever file it meets, so that no file is blamed for it. */
export function definitionProblems(definition: JobDefinition): readonly string[] {
  try {
    mappingFor(definition, NO_RECORDS);
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
}

/** JSON without a record has no columns that could be wrong or missing. */
const NO_RECORDS: SourceInfo = {
  type: 'json',
  encoding: 'utf-8',
  bom: false,
  compression: 'none',
  headerLine: 1,
  sheet: null,
  notes: [],
  delimiter: null,
  quote: null,
  columns: [],
};
