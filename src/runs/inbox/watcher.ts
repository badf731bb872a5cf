/**
 * A process that takes files from inboxes through their jobs: its options, where its files go, and
 * what it reports. A plain value; watch.ts and under-way.ts do the work.
 */
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { SANDBOX_TARGET } from '../../delivery/target.ts';
import { newEvent } from '../../faces/notify/event.ts';
import { type Io, say, sayJson, tell } from '../../lib/terminal.ts';
import type { TargetSession } from '../../session.ts';
import type { Entry } from './entry.ts';
import type { JobBook } from './job-book.ts';

export type Watcher = ReturnType<typeof createWatcher>;

export type WatchOptions = {
  readonly rest: number;
  readonly once?: boolean;
  readonly json?: boolean;
};

export function createWatcher(session: TargetSession, book: JobBook, options: WatchOptions) {
  const { env, io, service, ledger } = session;
  const { home } = env;
  return {
    session: { ...session, io: sharedIo(io) },
    target: service.target,
    store: ledger.of(service.target).store,
    book,
    teller: createTeller(io, options.json === true, session),
    /** ONBOARD_HOME, and its folders for files. */
    home,
    places: {
      inbox: join(home, 'inbox'),
      done: join(home, 'done'),
      failed: join(home, 'failed'),
    },
    rehearsal: createRehearsal(service.target),
    /** A file is whole when nothing of it has changed for so long. */
    restMs: options.rest * 1000,
    once: options.once === true,
  };
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

function createRehearsal(target: string) {
  const known = new Set<string>();
  const keyOf = (...parts: readonly string[]) => parts.join('\n');
  return {
    isOn: target === SANDBOX_TARGET,
    remember(inbox: string, path: string, stamp: string) {
      known.add(keyOf(inbox, path, stamp));
    },
    has: (inbox: string, { path, stamp }: Pick<Entry, 'path' | 'stamp'>) =>
      known.has(keyOf(inbox, path, stamp)),
  };
}

/** What became of a file, for programs; `paused`: it waits for its run. */
type Told = { readonly job: string | null; readonly result: 'done' | 'failed' | 'paused' };

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
    ended(file: Told, words: string) {
      hasTold = true;
      session?.meter.file(file.job, file.result);
      if (json) sayJson(io, JSON.stringify(file));
      else say(io, words);
    },
    paused(file: Told, words: string) {
      session?.meter.file(file.job, file.result);
      if (json) sayJson(io, JSON.stringify(file));
      line(words);
    },
    /** A file went to `failed`, where its name has the id. */
    refused(id: string) {
      if (session === undefined) return;
      const data = { target: session.service.target, file: id };
      session.notifier?.tell(newEvent('file.refused', [id], data));
    },
    /** Each key's text once, and again after the key was gone. */
    waiting(lines: ReadonlyMap<string, string>) {
      for (const [key, text] of lines) if (!shown.has(key)) line(text);
      shown = new Set(lines.keys());
    },
    /** True once a file, or something in its way, was reported. */
    hasTold: () => hasTold,
  };
}
