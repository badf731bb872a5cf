import { readFile, statfs } from 'node:fs/promises';
import { serverLog } from './start-server.ts';

/** Tells that the server's disk is full: once, and not again before it has been well for a while. */
export type DiskNotice = {
  /** `revive` with a look at the disk before it, and after it where it throws. */
  around<T>(revive: () => Promise<T>): Promise<T>;
  onFull(tell: (text: string) => void): void;
};

/** A server that starts, and ends again at its next write, is in the same trouble all the time. */
const WELL_AFTER_MS = 600_000;
/** With less than this its log can't be written either, and tells nothing. */
const ROOM_MIN_BYTES = 1_000_000;
/** What Redis and the system say of a full disk. */
const FULL = /No space left|Short write|ENOSPC/i;
/** In the first line of a server, Redis or Valkey: what stands above it is another one's. */
const FIRST_LINE = ' is starting oO0O';

/** `folder`: the embedded server's, in ONBOARD_HOME; `now` in milliseconds. */
export function createDiskNotice(folder: string, now: () => number): DiskNotice {
  const listeners: Array<(text: string) => void> = [];
  let seenAt = Number.NEGATIVE_INFINITY;
  const look = async () => {
    if (listeners.length === 0 || !(await isDiskFull(folder))) return;
    const isNew = now() - seenAt > WELL_AFTER_MS;
    seenAt = now();
    if (isNew) for (const tell of listeners) tell(textFor(folder));
  };
  return {
    async around(revive) {
      await look();
      try {
        return await revive();
      } catch (error) {
        await look();
        throw error;
      }
    },
    onFull: (tell) => {
      listeners.push(tell);
    },
  };
}

function textFor(folder: string): string {
  return (
    `The embedded Redis can not go on: the disk of ONBOARD_HOME is full (${folder}). ` +
    'Make room; it goes on by itself.'
  );
}

async function isDiskFull(folder: string): Promise<boolean> {
  const log = await readFile(serverLog(folder), 'utf8').catch(() => '');
  if (FULL.test(log.slice(Math.max(0, log.lastIndexOf(FIRST_LINE))))) return true;
  const space = await statfs(folder).catch(() => null);
  return space !== null && space.bavail * space.bsize < ROOM_MIN_BYTES;
}
