import { mkdir, stat } from 'node:fs/promises';
import { errorCode } from '../lib/errors.ts';
import { inFolder, withinFolder } from './within-folder.ts';

/**
 * Where files of an inbox on another file system than ONBOARD_HOME lie while they are taken, each called by its claim's id.
 * Whoever may write to the inbox may put anything here: only what a claim in ONBOARD_HOME names is looked at.
 */
export const ABROAD = '.processing';

/** An inbox from which no file can be taken; the message says why, and what to do. */
export class UnusableInbox extends Error {}

const OTHERS = 0o077;

/** Makes sure that an inbox has its folder for files that are taken. */
export async function prepareAbroad(inbox: string): Promise<void> {
  await withinFolder(inbox, [], async (root) => {
    await mkdir(inFolder(root, ABROAD), { mode: 0o700 }).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error;
    });
  });
  await withinAbroad(inbox, async () => undefined);
}

/** Does something in that folder, which is a real one of this user's alone; else throws `UnusableInbox`. */
export async function withinAbroad<T>(inbox: string, work: (path: Buffer) => Promise<T>): Promise<T> {
  let isOpen = false;
  try {
    return await withinFolder(inbox, [Buffer.from(ABROAD)], async (path) => {
      await checkOwn(path, inbox);
      isOpen = true;
      return work(path);
    });
  } catch (error) {
    if (isOpen) throw error;
    switch (errorCode(error)) {
      case 'ELOOP':
      case 'ENOTDIR':
        throw new UnusableInbox(problemOf(inbox, 'is no folder'));
      case 'ENOENT':
        throw new UnusableInbox(problemOf(inbox, 'is not there'));
      default:
        throw error;
    }
  }
}

async function checkOwn(path: Buffer, inbox: string): Promise<void> {
  const { uid, mode } = await stat(path);
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) throw new UnusableInbox(problemOf(inbox, `belongs to user ${uid}`));
  if ((mode & OTHERS) !== 0) throw new UnusableInbox(problemOf(inbox, 'is open to other users'));
}

function problemOf(inbox: string, why: string): string {
  return `${inbox}/${ABROAD} ${why}: expected a folder that only the user of this program may use; remove it, and it is made again`;
}

/** The name, in that folder, of a claim's marker file. */
export function markerAbroad(id: string): string {
  return `${id}.marker`;
}
