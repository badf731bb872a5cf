/**
 * One process' memory of what it was about to send and what became of it, on a disk of its own, for
 * a Redis that forgets. A written record is on disk before anything is sent by it; notes follow
 * within 50 ms. A run that has ended is forgotten, with files that hold nothing else.
 */

import { createRecentMap } from '../lib/recent.ts';
import { makeWorkerFolder } from './folder.ts';
import { createGroupCommit, type Line } from './group-commit.ts';
import { encodeLine, type JournalRecord, type LineRecord } from './record.ts';
import { createSegments } from './segments.ts';

export type Journal = {
  readonly worker: string;
  /** Resolves when the record is on disk with its group; rejects where it can't be written. */
  write(record: JournalRecord): Promise<void>;
  /** On disk within 50 ms; what can't be written is kept for the next try. Never throws. */
  note(record: JournalRecord): void;
  /** Resolves when all notes are on disk; rejects where they can't be. */
  flush(): Promise<void>;
  runs(): readonly string[];
  /** The run has ended and its report is written: it need not be remembered. Never rejects. */
  forget(run: string): Promise<void>;
  /** Flushes, trims, and removes a folder with nothing to keep. Safe to call twice. */
  close(): Promise<void>;
};

type JournalOptions = {
  /** `<ONBOARD_HOME>/journal`; made where it is missing. */
  readonly folder: string;
  /** From `newWorkerId()`: each process has its own journal, and never reopens an earlier one. */
  readonly worker: string;
  /** Gets what can't be written, at most once per second. */
  readonly onTrouble: (event: string, error: Error) => void;
  /** When a segment is full; default 4 MB. */
  readonly segmentBytes?: number;
  /** Ms that a group took to disk; `null`: it could not be written. */
  readonly onSync?: (ms: number | null) => void;
};

const SEGMENT_BYTES = 4 * 1024 * 1024;
const TROUBLE_MS = 1_000;
/** Ended runs of which an outcome may still come late. */
const FORGOTTEN_KEPT = 1_000;

/** In `<folder>/<worker>/` (0700; files 0600); throws where the folder can't be made or exists. */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const { folder, worker, segmentBytes = SEGMENT_BYTES } = options;
  const path = await makeWorkerFolder(folder, worker);
  const onTrouble = oncePerSecond(options.onTrouble);
  const segments = createSegments({ folder: path, segmentBytes, onTrouble });
  const group = createGroupCommit({ commit: timed(segments.commit, options.onSync), onTrouble });
  const memory = createMemory();
  let closing: Promise<void> | null = null;

  const shut = async () => {
    // What can't be written was reported; the rest is closed all the same.
    await group.flush().catch(() => {});
    group.stop();
    await segments.close();
  };

  return {
    worker,
    async write(record) {
      if (closing !== null) throw new Error(`the journal ${path} is closed`);
      if (memory.takes(record)) await group.write(lineOf(record));
    },
    note(record) {
      if (closing === null && memory.takes(record)) group.note(lineOf(record));
    },
    flush: () => (closing === null ? group.flush() : closing),
    runs: memory.runs,
    async forget(run) {
      if (closing !== null || !memory.forgets(run)) return;
      group.note(lineOf({ kind: 'forgotten', run }));
      await group.flush().catch(() => {});
      await segments.tidy();
    },
    close() {
      closing ??= shut();
      return closing;
    },
  };
}

function timed(
  commit: (lines: readonly Line[]) => Promise<void>,
  onSync: JournalOptions['onSync'] = () => undefined,
): typeof commit {
  return async (lines) => {
    // A flush alone has nothing to write.
    if (lines.every(({ text }) => text === '')) return commit(lines);
    const began = performance.now();
    let isWritten = false;
    try {
      await commit(lines);
      isWritten = true;
    } finally {
      onSync(isWritten ? performance.now() - began : null);
    }
  };
}

function lineOf(record: LineRecord): Line {
  const kind = record.kind === 'forgotten' ? 'forgotten' : 'told';
  return { text: encodeLine(record), run: record.run, kind };
}

type Memory = {
  /** Whether to write the record: not of a forgotten run, until something of it begins anew. */
  takes(record: JournalRecord): boolean;
  /** False: there is nothing to forget. */
  forgets(run: string): boolean;
  runs(): readonly string[];
};

/** A late outcome of a forgotten run would be kept for ever. */
const BEGINNINGS: ReadonlySet<string> = new Set(['run', 'added', 'ranged', 'intended']);

function createMemory(): Memory {
  const remembered = new Set<string>();
  const forgotten = createRecentMap<string, true>(FORGOTTEN_KEPT);
  return {
    takes(record) {
      if (forgotten.has(record.run) && !BEGINNINGS.has(record.kind)) return false;
      forgotten.delete(record.run);
      remembered.add(record.run);
      return true;
    },
    forgets(run) {
      if (!remembered.delete(run)) return false;
      forgotten.set(run, true);
      return true;
    },
    runs: () => [...remembered],
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
