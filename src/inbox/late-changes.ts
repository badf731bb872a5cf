import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Written, writtenOf } from '../lib/file-stamp.ts';
import { NOTE_ENDING } from './never-taken.ts';
import { writtenIn } from './note.ts';

/** Finds files that somebody went on writing to after they had been put away: their ends were never read. */
type LateChanges = {
  /** Names of files in `done` that are no longer what their notes say; each is given once. */
  find(): Promise<string[]>;
};

/** So long a writer may pause and still be found out. */
export const WATCHED_MS = 60 * 60_000;
/** `<name>.20261121-034512-k3f9.csv`: when it was taken, UTC. */
const ID = /\.(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[a-z0-9]{4}(?:\.|$)/;

export function createLateChanges(done: string, now: () => Date): LateChanges {
  const known = new Map<string, Written | null>();
  const noteOf = async (name: string) => {
    const text = await readFile(join(done, `${name}${NOTE_ENDING}`), 'utf8').catch(() => null);
    return text === null ? null : writtenIn(text);
  };
  return {
    async find() {
      const names = (await readdir(done).catch(() => [])).filter(
        (name) => !name.endsWith(NOTE_ENDING) && isRecent(name, now()),
      );
      const changed: string[] = [];
      for (const name of names) {
        const written = known.get(name) ?? (await noteOf(name));
        if (written !== null && (await differs(join(done, name), written))) changed.push(name);
        known.set(name, written);
      }
      for (const name of known.keys()) if (!names.includes(name)) known.delete(name);
      return changed;
    },
  };
}

function isRecent(name: string, now: Date): boolean {
  const [, ...parts] = ID.exec(name) ?? [];
  const [year, month, day, hour, minute, second] = parts.map(Number);
  if (year === undefined || month === undefined) return false;
  const at = Date.UTC(year, month - 1, day, hour, minute, second);
  return now.getTime() - at < WATCHED_MS;
}

async function differs(path: string, written: Written): Promise<boolean> {
  const stats = await lstat(path, { bigint: true }).catch(() => null);
  if (stats === null) return false;
  const { bytes, ms } = writtenOf(stats);
  return bytes !== written.bytes || ms !== written.ms;
}
