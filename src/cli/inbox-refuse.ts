import { errorCode } from '../intake/inbox/error-code.ts';
import { renderNote } from '../intake/inbox/note.ts';
import type { Refused } from '../intake/inbox/placed.ts';
import { putAway } from '../intake/inbox/put-away.ts';
import { inFolder, withinFolder } from '../intake/inbox/within-folder.ts';
import { newRunId } from '../ledger/run-id.ts';
import type { InboxDesk } from './inbox-desk.ts';
import { NOT_TAKEN_EXIT } from './inbox-settle.ts';
import { refusedNote } from './inbox-words.ts';

/** Moves entries that can't be taken to `failed`, without opening or following them. */
export type Refusing = {
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

async function moveAway({ inbox, entry, why }: Refused, { places, teller }: InboxDesk): Promise<void> {
  const note = refusedNote({ path: entry.path, inbox: inbox.folder, written: null }, [why]);
  const away = await withinFolder(inbox.folder, entry.parts, (path) =>
    putAway({
      from: inFolder(path, entry.name),
      folder: places.failed,
      name: entry.name,
      id: newRunId(new Date()),
      text: renderNote(note),
    }),
  );
  const nothing = {
    job: null,
    run: null,
    state: null,
    reason: null,
    rows: null,
    outcomes: null,
    report: null,
  };
  teller.ended(
    {
      ...nothing,
      file: entry.path,
      result: 'failed',
      why: [why],
      exitCode: NOT_TAKEN_EXIT,
      moved: away.file,
      note: away.note,
    },
    `${entry.path}: not taken: ${why}. Moved to ${away.file}`,
  );
}
