import { type Io, printable, say, tell } from '../lib/terminal.ts';
import type { Run } from '../model/run.ts';

/** One file whose way has ended, or that waits for somebody, as `--json` prints it. */
export type EndedFile = {
  readonly file: string;
  readonly job: string | null;
  /** `done`: its run is over. `failed`: it was not taken to its end. `paused`: it waits for its run to go on. */
  readonly result: 'done' | 'failed' | 'paused';
  readonly why: readonly string[];
  readonly run: string | null;
  readonly state: Run['state'] | null;
  readonly reason: Run['reason'];
  readonly rows: number | null;
  readonly outcomes: Run['outcomes'] | null;
  readonly exitCode: number;
  /** Where the file is now, and the note and the report about it. */
  readonly moved: string | null;
  readonly note: string | null;
  readonly report: string | null;
};

/** Says what happens in the inboxes: for people or, one line per file, for programs. */
export type Teller = {
  /** What is going on. */
  line(text: string): void;
  /** Trouble that may come again and again: said where the last one was another. */
  trouble(text: string): void;
  /** A file's end; `words` for people. */
  ended(file: EndedFile, words: string): void;
  /** A file that stays; `words` for people. */
  paused(file: EndedFile, words: string): void;
  /** Says of each key its text once, and again only after it was away. */
  waiting(lines: ReadonlyMap<string, string>): void;
  /** True once something was said of a file, or of what is in its way. */
  hasTold(): boolean;
};

export function createTeller(io: Io, json: boolean): Teller {
  let shown = new Set<string>();
  let troubled = '';
  let hasTold = false;
  const line = (text: string) => {
    hasTold = true;
    tell(io, text.split('\n').map(printable).join('\n'));
  };
  return {
    line,
    trouble(text) {
      if (text !== troubled) line(text);
      troubled = text;
    },
    ended(file, words) {
      hasTold = true;
      if (json) say(io, JSON.stringify(file));
      else say(io, printable(words));
    },
    paused(file, words) {
      if (json) say(io, JSON.stringify(file));
      line(words);
    },
    waiting(lines) {
      for (const [key, text] of lines) if (!shown.has(key)) line(text);
      shown = new Set(lines.keys());
    },
    hasTold: () => hasTold,
  };
}
