import { newRunId } from '../ledger/run-id.ts';
import { errorCode } from '../lib/errors.ts';
import type { InboxDesk } from './desk.ts';
import { renderNote } from './note.ts';
import type { Refused } from './placed.ts';
import { putAway } from './put-away.ts';
import { NOT_TAKEN_EXIT } from './settle.ts';
import { inFolder, withinFolder } from './within-folder.ts';
import { refusedNote } from './words.ts';

/** Moves entries that can't be taken to `failed`, without opening or following them. */
type Refusing = {
  /** `left`: it can't be moved, as was said. `gone`: another watcher was faster. */
  refuse(entry: Refused): Promise<'moved' | 'left' | 'gone'>;
};

export function createRefusing(desk: InboxDesk): Refusing {
  // What can't be moved is said once and left.
  const left = new Set<string>();
  return {
    async refuse(refused) {
      const { inbox, entry } = refused;
      const key = [inbox.folder, entry.path, entry.stamp].join('\n');
      if (left.has(key)) return 'left';
      try {
        if (desk.rehearsal.isOn) {
          left.add(key);
          stay(refused, desk);
          return 'left';
        }
        await moveAway(refused, desk);
        return 'moved';
      } catch (error) {
        const code = errorCode(error);
        if (code === 'ENOENT') return 'gone';
        left.add(key);
        const why = code === 'EXDEV' ? 'it is on another file system' : code || String(error);
        desk.teller.line(
          `${entry.path}: not taken: ${refused.why}. It can't be moved to ${desk.places.failed} (${why}): move it away by hand`,
        );
        return 'left';
      }
    },
  };
}

/** A rehearsal leaves the inboxes as they are. */
function stay({ entry, why }: Refused, { teller }: InboxDesk): void {
  const file = { ...NOTHING, file: entry.path, why: [why], moved: null, note: null };
  teller.ended(file, `${entry.path}: not taken: ${why}. A rehearsal: it stays where it is`);
}

const NOTHING = {
  job: null,
  result: 'failed',
  exitCode: NOT_TAKEN_EXIT,
  run: null,
  state: null,
  reason: null,
  rows: null,
  outcomes: null,
  report: null,
} as const;

async function moveAway({ inbox, entry, why, fault }: Refused, { places, teller }: InboxDesk): Promise<void> {
  const note = refusedNote({ path: entry.path, inbox: inbox.folder, written: null }, { why: [why], fault });
  const away = await withinFolder(inbox.folder, entry.parts, (path) =>
    putAway({
      from: inFolder(path, entry.name),
      folder: places.failed,
      name: entry.name,
      id: newRunId(new Date()),
      text: renderNote(note),
    }),
  );
  teller.ended(
    { ...NOTHING, file: entry.path, why: [why], moved: away.file, note: away.note },
    `${entry.path}: not taken: ${why}. Moved to ${away.file}`,
  );
}
