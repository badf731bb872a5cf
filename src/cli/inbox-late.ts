import { join } from 'node:path';
import { createLateChanges } from '../intake/inbox/late-changes.ts';
import { renderNote } from '../intake/inbox/note.ts';
import { putAway } from '../intake/inbox/put-away.ts';
import type { InboxDesk } from './inbox-desk.ts';

/** Files in `done` that somebody went on writing to: they are moved to `failed`, and their sender is told. */
export type LateFiles = {
  /** Answers how many there were. */
  look(): Promise<number>;
};

export function createLateFiles({ places, teller }: InboxDesk): LateFiles {
  const changes = createLateChanges(places.done, () => new Date());
  return {
    async look() {
      const names = await changes.find();
      for (const name of names) {
        const { headline, facts, lines } = LATE_NOTE;
        const text = renderNote({ headline: `${name} ${headline}`, facts, lines });
        // Beside the note of its run, which stays in `done`.
        const away = await putAway({
          from: join(places.done, name),
          folder: places.failed,
          name,
          id: 'late',
          text,
        });
        teller.line(
          `${name}: was written to after it was taken: what came late was not sent. Moved to ${away.file}`,
        );
      }
      return names.length;
    },
  };
}

const LATE_NOTE = {
  headline: 'was written to after it was taken to its end: it was not whole then.',
  facts: [],
  lines: [
    'What was written to it since was not sent; what was sent is in the report that its note in the folder `done` names.',
    'Put the whole file into the inbox again: rows whose keys are known are skipped. Where the job names no key,',
    'take out what the report names as sent, or it is sent twice.',
    'So that it does not happen again: write under a name ending in .part and rename it, or set --rest or a marker.',
  ],
};
