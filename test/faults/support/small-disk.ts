import { execFile } from 'node:child_process';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../../../src/lib/errors.ts';
import { atTestEnd } from '../../support/at-test-end.ts';

/** A file system of a test's own that can be filled up. */
export type SmallDisk = {
  fill(): Promise<void>;
  clear(): Promise<void>;
};

const run = promisify(execFile);
const BLOCK = Buffer.alloc(65_536, 1);

/** Mounts one of so many megabytes over a folder, until the test ends; `null` where this user may not. */
export async function mountSmallDisk(folder: string, megabytes: number): Promise<SmallDisk | null> {
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'onboard-test', folder]);
  } catch {
    return null;
  }
  atTestEnd(async () => void (await run('umount', ['-l', folder])));
  const filling = join(folder, 'filling');
  return {
    async fill() {
      const file = await open(filling, 'w');
      try {
        for (;;) await file.write(BLOCK);
      } catch (error) {
        if (!hasCode(error, 'ENOSPC')) throw error;
      } finally {
        await file.close();
      }
    },
    clear: () => rm(filling, { force: true }),
  };
}
