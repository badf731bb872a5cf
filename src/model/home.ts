/**
 * Which home is meant where ONBOARD_HOME names none: as git finds its folder, so that the same ledger is used from every
 * folder below it. A home holds the ledger, the journals and the reports.
 */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const HOME_NAME = '.onboard';

/** The home that is meant in a folder where ONBOARD_HOME is not set: that of the folder itself or of the nearest one above, as git does; else a new one. */
export function homeOf(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (isOwnFolder(join(at, HOME_NAME))) return join(at, HOME_NAME);
    if (dirname(at) === at) return resolve(folder, HOME_NAME);
  }
}

/** Another user's home is not gone into by itself: it may lie above to be found. */
function isOwnFolder(path: string): boolean {
  try {
    const found = statSync(path);
    return found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid());
  } catch {
    return false;
  }
}
