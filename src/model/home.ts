/**
 * Which home is meant where ONBOARD_HOME names none: as git finds its folder, so that the same ledger is used from every
 * folder below it. A home holds the ledger, the journals and the reports.
 */
import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const HOME_NAME = '.onboard';
const ROOT_UID = 0;

/** That of the folder itself or of the nearest one above; else a new one. */
export function homeOf(folder: string): string {
  for (let at = resolve(folder); ; at = dirname(at)) {
    if (ownerOf(join(at, HOME_NAME)) !== null) return join(at, HOME_NAME);
    if (dirname(at) === at) return resolve(folder, HOME_NAME);
  }
}

/**
 * Whether a home that was found above a folder is another user's. It is neither used, since whoever may write above could lay one there,
 * nor passed over: a new ledger would know nothing of what was sent.
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
