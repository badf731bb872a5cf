/**
 * A process that takes files from inboxes through their jobs: its options, where its files go, and
 * what it reports. A plain value; watch.ts and under-way.ts do the work.
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
  readonly target: string;
  readonly store: RunStore;
  readonly book: JobBook;
  readonly teller: Teller;
  /** ONBOARD_HOME, and its folders for files. */
  readonly home: string;
  readonly places: Places;
  readonly rehearsal: ReturnType<typeof createRehearsal>;
  /** A file is whole when nothing of it has changed for so long. */
  readonly restMs: number;
  readonly once: boolean;
};

type Places = {
  readonly inbox: string;
  readonly done: string;
  readonly failed: string;
};

export type WatchOptions = {
  readonly rest: number;
  readonly once?: boolean;
  readonly json?: boolean;
};

export function createWatcher(session: TargetSession, book: JobBook, options: WatchOptions): Watcher {
  const { env, io, service, ledger } = session;
  const { home } = env;
  return {
    session: { ...session, io: sharedIo(io) },
    target: service.target,
    store: ledger.of(service.target).store,
    book,
    teller: createTeller(io, options.json === true, session),
    home,
    places: {
      inbox: join(home, 'inbox'),
      done: join(home, 'done'),
      failed: join(home, 'failed'),
    },
    rehearsal: createRehearsal(service.target),
    restMs: options.rest * 1000,
    once: options.once === true,
  };
}

export function reportPlace({ session }: Watcher, run: Pick<Run, 'id'>): string {
  return reportDirectory(session.env, run.id);
}

/** The terminal for runs that share it: repeated lines are shown once. */
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

/** The files that a rehearsal took and put back: it takes none of them again. */
function createRehearsal(target: string) {
  const known = new Set<string>();
  const keyOf = (...parts: readonly string[]) => parts.join('\n');
  return {
    /** Files are taken for the sandbox, and go back to their inboxes. */
    isOn: target === SANDBOX_TARGET,
    remember(inbox: string, path: string, stamp: string) {
      known.add(keyOf(inbox, path, stamp));
    },
    has: (inbox: string, { path, stamp }: Pick<Entry, 'path' | 'stamp'>) =>
      known.has(keyOf(inbox, path, stamp)),
  };
}

/** A file that ended, or waits for a person, as `--json` prints it. */
export type EndedFile = {
  readonly file: string;
  readonly job: string | null;
  /** `done`: its run is over; `failed`: not taken to its end; `paused`: waits for its run. */
  readonly result: 'done' | 'failed' | 'paused';
  readonly why: readonly string[];
  readonly run: string | null;
  readonly state: Run['state'] | null;
  readonly reason: Run['reason'];
  readonly rows: number | null;
  readonly outcomes: Run['outcomes'] | null;
  readonly exitCode: number;
  readonly moved: string | null;
  readonly note: string | null;
  readonly report: string | null;
};

type TellerSession = Pick<TargetSession, 'meter' | 'notifier' | 'service'>;

export function createTeller(io: Io, json: boolean, session?: TellerSession) {
  let shown = new Set<string>();
  let troubled = '';
  let hasTold = false;
  const line = (...lines: readonly string[]) => {
    hasTold = true;
    tell(io, ...lines);
  };
  return {
    line,
    /** Trouble that may recur: shown unless it is the same as the last. */
    trouble(text: string) {
      if (text !== troubled) line(text);
      troubled = text;
    },
    ended(file: EndedFile, words: string) {
      hasTold = true;
      session?.meter.file(file.job, file.result);
      if (json) sayJson(io, JSON.stringify(file));
      else say(io, words);
    },
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
    /** Shows each key's text once, and again only after the key was gone for a while. */
    waiting(lines: ReadonlyMap<string, string>) {
      for (const [key, text] of lines) if (!shown.has(key)) line(text);
      shown = new Set(lines.keys());
    },
    /** True once a file, or something in its way, was reported. */
    hasTold: () => hasTold,
  };
}

type Teller = ReturnType<typeof createTeller>;
