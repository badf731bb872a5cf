import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { UsageError } from '../lib/usage-error.ts';

/** Makes a folder of ONBOARD_HOME, or the home itself, and answers its path; a UsageError where nothing can be written there. */
export async function makeHomeFolder(home: string, ...names: readonly string[]): Promise<string> {
  const path = join(home, ...names);
  try {
    await makeFolder(path);
    await access(path, constants.W_OK | constants.X_OK);
    return path;
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `ONBOARD_HOME ${home} can't be used: ${problem}. Expected a folder that this user may write to: set ONBOARD_HOME to one.`,
      { cause: error },
    );
  }
}
