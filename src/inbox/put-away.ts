import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.ts';
import { NOTE_ENDING } from './never-taken.ts';

/** Where a file went and where the note about it is. */
export type PutAway = { readonly file: string; readonly note: string };

type Moving = {
  readonly from: Buffer | string;
  /** `done` or `failed`. */
  readonly folder: string;
  /** As its sender called it. */
  readonly name: Buffer | string;
  /** What no other file has: the run's id. */
  readonly id: string;
  readonly text: string;
};

/** Moves an entry, whatever it is, by one rename and puts a note beside it; the note is there first. Throws what renaming says. */
export async function putAway({ from, folder, name, id, text }: Moving): Promise<PutAway> {
  const file = join(folder, awayName(name, id));
  const note = `${file}${NOTE_ENDING}`;
  await makeFolder(folder);
  await writeNote(note, text);
  try {
    await rename(from, file);
  } catch (error) {
    await rm(note, { force: true });
    throw error;
  }
  return { file, note };
}

/** Writes a note about a file that is elsewhere; answers where. */
export async function writeNoteIn(folder: string, name: string, text: string): Promise<string> {
  const note = join(folder, `${name}${NOTE_ENDING}`);
  await makeFolder(folder);
  await writeNote(note, text);
  return note;
}

/** Writes a note whole or not at all. */
async function writeNote(path: string, text: string): Promise<void> {
  const handle = await open(`${path}.tmp`, 'w', 0o600);
  try {
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
  await rename(`${path}.tmp`, path);
}

const ENDING = /(?:\.(?:csv|tsv|txt|json|ndjson|jsonl|xlsx))?(?:\.gz)?$/i;
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069\ufffd/\\]/gu;
/** File systems take 255 bytes; the id, and the note's ending, come on top. */
const MAX_BYTES = 180;

/** `portfolio.<id>.csv`: a name that nothing else has, with nothing in it that a terminal or a shell would act on. */
export function awayName(name: Buffer | string, id: string): string {
  const text = name.toString('utf8').replaceAll(UNSAFE, '_').replaceAll('..', '__');
  const ending = ENDING.exec(text)?.[0] ?? '';
  let stem = text.slice(0, text.length - ending.length);
  while (Buffer.byteLength(stem) > MAX_BYTES) stem = stem.slice(0, -1);
  return `${stem.replace(/\.$/, '_')}.${id}${ending}`;
}
