/**
 * A process that takes files from inboxes through their jobs: what it was told to do, where its files go, what it
 * says, and the session that their runs are executed in. A plain value; what moves stands in watch.ts and under-
 * way.ts.
 */
import { basename, join } from 'node:path';
import { Writable } from 'node:stream';
import { SANDBOX_TARGET } from '../delivery/target.ts';
import type { RunStore } from '../ledger/run-store.ts';
import { type Io, say, sayJson, tell } from '../lib/terminal.ts';
import type { Run } from '../model/run.ts';
import { newEvent } from '../notify/event.ts';
import { reportDirectory, type TargetSession } from '../session.ts';
import type { Entry } from './entry.ts';
import type { JobBook } from './job-book.ts';

export type Watcher = {
  readonly session: TargetSession;
  /** This process's name among the watchers. */
  readonly member: string;
  /** The service's address that files are taken for. */
  readonly target: string;
  /** The runs of the target. */
  readonly store: RunStore;
  readonly book: JobBook;
  readonly teller: Teller;
  /** ONBOARD_HOME, and its folders for files. */
  readonly home: string;
  readonly places: Places;
  readonly rehearsal: ReturnType<typeof createRehearsal>;
  /** A file is whole when nothing of it has changed for so long. */
  readonly restMs: number;
  /** Ends when there is nothing more to take. */
  readonly once: boolean;
};

type Places = {
  readonly inbox: string;
  readonly processing: string;
  readonly done: string;
  readonly failed: string;
};

/** What the command line says of the watching. */
export type WatchOptions = {
  /** Seconds that a file has to be left alone before it is taken. */
  readonly rest: number;
  readonly once?: boolean;
  readonly json?: boolean;
};

export function createWatcher(session: TargetSession, book: JobBook, options: WatchOptions): Watcher {
  const { env, io, registration, service, ledger } = session;
  const { home } = env;
  return {
    session: { ...session, io: sharedIo(io) },
    member: registration.epoch.worker,
    target: service.target,
    store: ledger.of(service.target).store,
    book,
    teller: createTeller(io, options.json === true, session),
    home,
    places: {
      inbox: join(home, 'inbox'),
      processing: join(home, 'processing'),
      done: join(home, 'done'),
      failed: join(home, 'failed'),
    },
    rehearsal: createRehearsal(service.target),
    restMs: options.rest * 1000,
    once: options.once === true,
  };
}

/** Where a run's report lies. */
export function reportPlace({ session }: Watcher, run: Pick<Run, 'id'>): string {
  return reportDirectory(session.env, run.id);
}

/**
 * The terminal for runs that share it: what several of them say one after the other is said once, and it is no TTY, so none draws a
 * progress bar.
 */
export function sharedIo(io: Io): Io {
  let last = '';
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, done) {
      const text = String(chunk);
      if (text !== last) io.stderr.write(text);
      last = text;
      done();
    },
  });
  return { ...io, stderr };
}

/** The files that a rehearsal took and put back, so that it takes none of them again. */
function createRehearsal(target: string) {
  const known = new Set<string>();
  const keyOf = (...parts: readonly string[]) => parts.join('\n');
  return {
    /** Whether files are taken for the built-in stand-in, and so stay in their inboxes in the end. */
    isOn: target === SANDBOX_TARGET,
    remember(inbox: string, path: string, stamp: string) {
      known.add(keyOf(inbox, path, stamp));
    },
    has: (inbox: string, { path, stamp }: Pick<Entry, 'path' | 'stamp'>) =>
      known.has(keyOf(inbox, path, stamp)),
  };
}

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

type TellerSession = Pick<TargetSession, 'meter' | 'notifier' | 'service'>;

/** Says what happens in the inboxes: for people or, one line per file, for programs. */
export function createTeller(io: Io, json: boolean, session?: TellerSession) {
  let shown = new Set<string>();
  let troubled = '';
  let hasTold = false;
  const line = (...lines: readonly string[]) => {
    hasTold = true;
    tell(io, ...lines);
  };
  return {
    /** What is going on. */
    line,
    /** Trouble that may come again: said only where it is not the same as the last one. */
    trouble(text: string) {
      if (text !== troubled) line(text);
      troubled = text;
    },
    /** A file's end; `words` for people. */
    ended(file: EndedFile, words: string) {
      hasTold = true;
      session?.meter.file(file.job, file.result);
      if (json) sayJson(io, JSON.stringify(file));
      else say(io, words);
    },
    /** A file that stays; `words` for people. */
    paused(file: EndedFile, words: string) {
      session?.meter.file(file.job, file.result);
      if (json) sayJson(io, JSON.stringify(file));
      line(words);
    },
    /** A file went to `failed`; `null`: a rehearsal put it back. */
    refused({ file, note }: { readonly file: string | null; readonly note: string | null }) {
      if (file === null || session === undefined) return;
      const data = { target: session.service.target, file: basename(file), note };
      session.notifier?.tell(newEvent('file.refused', [data.file], data));
    },
    /** Says the text of each key once, and again only after the key was gone for a while. */
    waiting(lines: ReadonlyMap<string, string>) {
      for (const [key, text] of lines) if (!shown.has(key)) line(text);
      shown = new Set(lines.keys());
    },
    /** True once something was said of a file, or of what is in its way. */
    hasTold: () => hasTold,
  };
}

type Teller = ReturnType<typeof createTeller>;
