import { join } from 'node:path';
import { errorCode } from '../lib/errors.ts';
import type { InboxDesk } from './desk.ts';
import { inboxesOf } from './inbox-folder.ts';
import { createLateChanges } from './late-changes.ts';
import { renderNote } from './note.ts';
import { lateOriginals } from './originals.ts';
import { putAway } from './put-away.ts';

/** Files in `done` that somebody went on writing to: they are moved to `failed`, and their sender is told. */
type LateFiles = {
  /** Answers how many there were. */
  look(): Promise<number>;
};

export function createLateFiles({ places, teller, book, home }: LateDesk): LateFiles {
  const changes = createLateChanges(places.done, () => new Date());
  return {
    async look() {
      const inboxes = new Set(inboxesOf(book.jobs(), home).map(({ folder }) => folder));
      const originals = await lateOriginals(places.processing, inboxes, new Date());
      const late = [
        ...(await changes.find()).map((name) => ({ name, lines: [] })),
        ...originals.map(({ done, original }) => ({
          name: done,
          lines: [`The file as it is by now lies in ${original}`],
        })),
      ];
      for (const one of late) await putLateAway(one, { places, teller });
      return late.length;
    },
  };
}

type LateDesk = Pick<InboxDesk, 'places' | 'teller' | 'book' | 'home'>;
type LateFile = { readonly name: string; readonly lines: readonly string[] };

/** Beside the note of its run, which stays in `done`. */
async function putLateAway(
  { name, lines }: LateFile,
  { places, teller }: Pick<LateDesk, 'places' | 'teller'>,
): Promise<void> {
  const note = { ...LATE_NOTE, subject: name, lines: [...LATE_NOTE.lines, ...lines] };
  const from = join(places.done, name);
  const away = await putAway({ from, folder: places.failed, name, id: 'late', text: renderNote(note) }).catch(
    whereGone,
  );
  const where = [...(away === null ? [] : [`Moved to ${away.file}`]), ...lines].join('. ');
  teller.line(`${name}: was written to after it was taken: what came late was not sent. ${where}`);
}

/** Somebody has cleared `done` meanwhile. */
function whereGone(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
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
