import { access, constants, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import { UsageError } from '../lib/usage-error.ts';
import { IDENTITY } from '../model/operation.ts';
import type { FileFacts } from '../model/source.ts';

/** Makes sure, before anything is sent, that the ledger and the reports have a place; true where the home is new. */
export async function prepareHome({ home }: Environment): Promise<boolean> {
  const isNew = await stat(home).then(
    () => false,
    () => true,
  );
  const reports = join(home, 'reports');
  try {
    await mkdir(reports, { recursive: true, mode: 0o700 });
    await access(reports, constants.W_OK | constants.X_OK);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `ONBOARD_HOME ${home} can't be used: ${problem}. Expected a folder that this user may write to.`,
      {
        cause: error,
      },
    );
  }
  return isNew;
}

/** What a person should know before a run of these files, though nothing is wrong with them. */
export function cautions({ definition }: Job, files: readonly FileFacts[]): string[] {
  const keyless = IDENTITY[definition.operation] !== null && definition.key === undefined;
  return [
    ...files.filter(({ rows }) => rows === 0).map(({ path }) => `${path} has no rows.`),
    ...(keyless
      ? [
          'the job names no key: the same rows in another file, or in this one saved again, would be created again.',
        ]
      : []),
  ];
}
