import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { insteadOf } from '../lib/errors.ts';
import { type Written, writtenOf } from '../lib/file-stamp.ts';
import { NOTE_ENDING } from './entry.ts';
import { inboxesOf } from './job-book.ts';
import { renderNote, writtenIn } from './note.ts';
import { lateOriginals, WATCHED_MS } from './other-file-system.ts';
import { putAway } from './settle.ts';
import type { Watcher } from './watcher.ts';

/**
 * Files that somebody went on writing to after they had been put away: their ends were never read. They are moved from
 * `done` to `failed`, and their sender is told. Answers how many there were.
 */
export function createLookForLate(watcher: Watcher): () => Promise<number> {
  const { places, book, home } = watcher;
  const findChanged = createFindChanged(places.done, () => new Date());
  return async () => {
    const inboxes = new Set(inboxesOf(book.jobs(), home).map(({ folder }) => folder));
    const originals = await lateOriginals(places.processing, inboxes, new Date());
    const late = [
      ...(await findChanged()).map((name) => ({ name, lines: [] })),
      ...originals.map(({ done, original }) => ({
        name: done,
        lines: [`The file as it is by now lies in ${original}`],
      })),
    ];
    for (const one of late) await putLateAway(one, watcher);
    return late.length;
  };
}

type LateFile = { readonly name: string; readonly lines: readonly string[] };

/** Beside the note of its run, which stays in `done`. */
async function putLateAway({ name, lines }: LateFile, { places, teller }: Watcher): Promise<void> {
  const text = renderNote({ ...LATE_NOTE, subject: name, lines: [...LATE_NOTE.lines, ...lines] });
  const from = join(places.done, name);
  // Somebody may have cleared `done` meanwhile.
  const away = await putAway({ from, folder: places.failed, name, id: 'late', text }).catch(
    insteadOf('ENOENT', null),
  );
  const where = [...(away === null ? [] : [`Moved to ${away.file}`]), ...lines].join('. ');
  teller.line(`${name}: was written to after it was taken: what came late was not sent. ${where}`);
}

const LATE_NOTE = {
  headline: 'was written to after it was taken to its end: it was not whole then.',
  facts: [],
  lines: [
    'What was written to it since was not sent; what was sent is in the report that its note in the folder `done` names.',
    'Put the whole file into the inbox again: rows whose keys are known are skipped. Where the job names no key, take out what the report names as sent, or it is sent twice.',
    'So that it does not happen again: write under a name ending in .part and rename it, or set --rest or a marker.',
  ],
};

/** `<name>.20261121-034512-k3f9.csv`: when it was taken, UTC. */
const ID = /\.(\d{4})(\d\d)(\d\d)-(\d\d)(\d\d)(\d\d)-[a-z0-9]{4}(?:\.|$)/;

/** Makes the function that finds the names of files in `done` that are no longer what their notes say. */
export function createFindChanged(done: string, now: () => Date): () => Promise<string[]> {
  const known = new Map<string, Written | null>();
  const noteOf = async (name: string) => {
    const text = await readFile(join(done, `${name}${NOTE_ENDING}`), 'utf8').catch(() => null);
    return text === null ? null : writtenIn(text);
  };
  return async () => {
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
