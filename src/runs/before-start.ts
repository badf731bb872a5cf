import { stat } from 'node:fs/promises';
import { type Environment, makeHomeFolder } from '../config/environment.ts';
import type { Job } from '../config/job-definition.ts';
import { IDENTITY } from '../model/operation.ts';
import type { FileFacts } from '../model/source.ts';

/** Makes sure, before anything is sent, that the ledger and the reports have a place; true where the home is new. */
export async function prepareHome({ home }: Environment): Promise<boolean> {
  const isNew = await stat(home).then(
    () => false,
    () => true,
  );
  await makeHomeFolder(home, 'reports');
  return isNew;
}

/** A file without rows is taken to its end like any other, and somebody may have expected some in it. */
export function noRowsWords(path: string): string {
  return `${path} has no rows: there is nothing to send. If there should be some, export it again.`;
}

/** What a person should know before a run of these files, though nothing is wrong with them. */
export function cautions({ definition }: Job, files: readonly FileFacts[]): string[] {
  const keyless = IDENTITY[definition.operation] !== null && definition.key === undefined;
  return [
    ...files.filter(({ rows }) => rows === 0).map(({ path }) => noRowsWords(path)),
    ...(keyless
      ? [
          'the job names no key: the same rows in another file, or in this one saved again, would be created again.',
        ]
      : []),
  ];
}
