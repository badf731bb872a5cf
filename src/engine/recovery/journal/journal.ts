/**
 * One process' memory of what it was about to send and what became of it, for a Redis that forgets:
 * one append-only file per run, beginning with the run's record. A written record is on disk before
 * anything is sent by it; notes follow within 50 ms. A run that has ended is forgotten with its
 * file.
 */

import { rm, utimes } from 'node:fs/promises';
import { errorOf } from '../../../lib/errors.ts';
import { syncFolder } from '../../../lib/make-folder.ts';
import { type LastKnown, makeWorkerFolder, openLastKnown, runFile } from './folder.ts';
import { encodeLine, type JournalRecord } from './record.ts';
import { openRunFile, type RunFile } from './run-file.ts';

export type Journal = {
  readonly worker: string;
  /**
   * Resolves when the record is on disk with its group; rejects where it can't be written, and for
   * a run that was never remembered, or was forgotten.
   */
  write(record: JournalRecord): Promise<void>;
  /** On disk within 50 ms, where it can be written. Never throws. */
  note(record: JournalRecord): void;
  /** Resolves when nothing waits to be written; rejects where the last of it can't be. */
  flush(): Promise<void>;
  /** What the worker knows of the ledger, for whoever finds the journal; soon written. */
  knows(known: LastKnown): void;
  runs(): readonly string[];
  /** The run has ended and its report is written: it need not be remembered. Never rejects. */
  forget(run: string): Promise<void>;
  /** Writes all notes. Safe to call twice. */
  close(): Promise<void>;
};

type JournalOptions = {
  /** `<ONBOARD_HOME>/journal/<target>`; made where it is missing. */
  readonly folder: string;
  /** From `newWorkerId()`: each process has its own journal, and never reopens an earlier one. */
  readonly worker: string;
  /** Gets what can't be written, at most once per second. */
  readonly onTrouble: (event: string, error: Error) => void;
  /** Ms that a group took to disk; `null`: it could not be written. */
  readonly onSync?: (ms: number | null) => void;
};

const TROUBLE_MS = 1_000;

/** In `<folder>/<worker>/` (0700; files 0600); throws where the folder can't be made or exists. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, worker, onSync = () => undefined } = options;
  const path = await makeWorkerFolder(folder, worker);
  const onTrouble = oncePerSecond(options.onTrouble);
  const files = new Map<string, RunFile>();
  const lastKnown = openLastKnown(path, (error) =>
    onTrouble('what is known of the ledger could not be written', errorOf(error)),
  );
  /** A run that begins anew while its file is removed gets a new one after that. */
  let forgetting = Promise.resolve();
  let closing: Promise<void> | null = null;

  const begin = async (run: string) => {
    await forgetting;
    const known = files.get(run);
    if (known !== undefined) return known;
    const file = openRunFile(runFile(path, run), { onTrouble, onSync });
    files.set(run, file);
    return file;
  };
  const remove = async (run: string) => {
    const file = files.get(run);
    files.delete(run);
    if (file === undefined) return;
    try {
      await file.close();
      await rm(runFile(path, run), { force: true });
      await syncFolder(path);
    } catch (error) {
      onTrouble('the journal could not be tidied', errorOf(error));
    }
  };

  return {
    worker,
    async write(record) {
      if (closing !== null) throw new Error(`the journal ${path} is closed`);
      const file = record.kind === 'run' ? await begin(record.run) : files.get(record.run);
      if (file === undefined) throw new Error(`the journal ${path} has no record of run ${record.run}`);
      await file.write(encodeLine(record));
    },
    note(record) {
      // A late outcome of a forgotten run would be kept for ever.
      if (closing === null) files.get(record.run)?.note(encodeLine(record));
    },
    async flush() {
      if (closing !== null) return closing;
      await Promise.all([...files.values()].map((file) => file.flush()));
    },
    knows(known) {
      if (closing === null) lastKnown.write(known);
    },
    runs: () => [...files.keys()],
    forget(run) {
      if (closing !== null) return closing;
      forgetting = forgetting.then(() => remove(run));
      return forgetting;
    },
    close() {
      closing ??= forgetting.then(async () => {
        await Promise.all([lastKnown.close(), ...[...files.values()].map((file) => file.close())]);
        // From now on the journal is kept for a while, though it be empty.
        await utimes(path, new Date(), new Date()).catch(() => undefined);
      });
      return closing;
    },
  };
}

function oncePerSecond(tell: JournalOptions['onTrouble']): JournalOptions['onTrouble'] {
  let last = Number.NEGATIVE_INFINITY;
  return (event, error) => {
    const now = performance.now();
    if (now - last < TROUBLE_MS) return;
    last = now;
    tell(event, error);
  };
}
