import { link, mkdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MARKER_NAME } from './claim.ts';
import { dropClaim, type FoundClaim } from './claims.ts';
import { errorCode } from './error-code.ts';

/**
 * Undoes a claim whose file never became its: a marker goes back beside its file. Where a file is there of which nothing is
 * written down, it goes back to `inbox`; false: it can't, since another one has its name, and stays.
 */
export async function giveBack(found: FoundClaim, inbox: string): Promise<boolean> {
  const { folder, info, name, hasMarker } = found;
  if (hasMarker && info !== null) await putMarkerBack(join(folder, MARKER_NAME), info.inbox, info);
  if (name !== null) {
    await mkdir(inbox, { recursive: true, mode: 0o700 });
    if (!(await moveNew(join(folder, name), join(inbox, name)))) return false;
  }
  await dropClaim(found);
  return true;
}

/** Only where its file still waits: a marker alone would speak for the next file of that name. */
async function putMarkerBack(
  from: string,
  inbox: string,
  { path, marker }: { readonly path: string; readonly marker: string | null },
): Promise<void> {
  const file = join(inbox, path);
  const waits = await stat(file).then(
    () => true,
    () => false,
  );
  if (waits && marker !== null) await rename(from, join(dirname(file), marker));
}

/** Moves a file to a name that nobody has; false: somebody has it. */
async function moveNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
  await unlink(from);
  return true;
}
