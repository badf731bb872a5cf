/**
 * The home where ONBOARD_HOME names none: found upwards as git finds its folder, so that every
 * folder below uses the same ledger. A home holds the ledger, the journals and the reports.
 */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const HOME_NAME = '.onboard';
const ROOT_UID = 0;

/** In this folder or the nearest one above; else a new one. */
export function homeOf(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (ownerOf(join(at, HOME_NAME)) !== null) return join(at, HOME_NAME);
    if (dirname(at) === at) return resolve(folder, HOME_NAME);
  }
}

/**
 * Whether a home above the folder is another user's. It is not used, since anybody who may write
 * above could put one there, and not passed over: a new ledger would not know what was sent.
 */
export function isForeignHome(home: string, folder: string, uid = process.getuid?.()): boolean {
  const owner = ownerOf(home);
  if (dirname(home) === resolve(folder) || owner === null) return false;
  return uid !== undefined && uid !== ROOT_UID && owner !== uid;
}

function ownerOf(path: string): number | null {
  try {
    const found = statSync(path);
    return found.isDirectory() ? found.uid : null;
  } catch {
    return null;
  }
}
