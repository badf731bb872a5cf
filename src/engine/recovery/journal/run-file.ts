/**
 * One run's file in a journal. What is asked for while one group of lines is written becomes the
 * next group, so that many rows share one sync. A group is on disk before it is acknowledged; one
 * that can't be written counts for nothing, and its callers are told. Safe for notes too, which
 * nobody waits for: a row about to be sent without an end is in doubt, never free.
 */

import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorOf, hasCode, messageOf } from '../../../lib/errors.ts';
import { syncFolder } from '../../../lib/make-folder.ts';

export type RunFile = {
  /** Resolves with its group; rejects where that can't be written. */
  write(text: string): Promise<void>;
  /** Goes with the next group, within 50 ms. */
  note(text: string): void;
  /** Resolves when nothing waits to be written; rejects where the last of it can't be. */
  flush(): Promise<void>;
  /** Flushes; never rejects for what could not be written. */
  close(): Promise<void>;
};

type RunFileOptions = {
  readonly onTrouble: (event: string, error: Error) => void;
  /** Ms that a group took to disk; `null`: it could not be written. */
  readonly onSync: (ms: number | null) => void;
};

type Waiting = {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

const NOTE_MS = 50;

/** The first text makes the file, durably, for its owner alone. */
export function openRunFile(path: string, { onTrouble, onSync }: RunFileOptions): RunFile {
  const file = openAppendOnly(path);
  let queue: Waiting[] = [];
  let busy = false;
  let timer: NodeJS.Timeout | null = null;

  const drain = async () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (busy) return;
    busy = true;
    while (queue.length > 0) await writeGroup();
    busy = false;
  };
  const writeGroup = async () => {
    const group = queue;
    queue = [];
    const text = group.map((line) => line.text).join('');
    const began = performance.now();
    try {
      // A flush alone has nothing to write.
      if (text !== '') {
        await file.append(text);
        onSync(performance.now() - began);
      }
      for (const line of group) line.resolve();
    } catch (cause) {
      const error = errorOf(cause);
      onSync(null);
      onTrouble('the journal could not be written', error);
      for (const line of group) line.reject(error);
    }
  };
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      queue.push({ text, resolve, reject });
      if (!busy) void drain();
    });
  const flush = () => write('');

  return {
    write,
    note(text) {
      queue.push({ text, resolve: () => {}, reject: () => {} });
      if (!busy) timer ??= setTimeout(() => void drain(), NOTE_MS);
    },
    flush,
    async close() {
      await flush().catch(() => undefined);
      await file.close();
    },
  };
}

/** One call for a write and its sync. Not every system has it. */
const { O_DSYNC = 0, O_WRONLY, O_CREAT, O_EXCL, O_APPEND } = constants;
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** A failure that can't be taken back refuses every later text too. One call at a time. */
function openAppendOnly(path: string) {
  let handle: FileHandle | null = null;
  let size = 0;
  let broken: Error | null = null;
  const problemOf = (error: unknown) =>
    new Error(`${path} could not be written: ${messageOf(error)}`, { cause: error });

  const write = async (file: FileHandle, bytes: Buffer) => {
    try {
      await file.appendFile(bytes);
      if (O_DSYNC === 0) await file.datasync();
      size += bytes.length;
    } catch (error) {
      const problem = problemOf(error);
      const isBack = await isTruncated(file, size);
      // After a failed sync unwritten pages may count as written; only a full disk took nothing.
      if (!isBack || !hasCode(error, ...FULL)) broken = problem;
      throw problem;
    }
  };

  return {
    async append(text: string): Promise<void> {
      if (broken !== null) throw broken;
      handle ??= await create(path).catch((error: unknown) => {
        throw problemOf(error);
      });
      await write(handle, Buffer.from(text));
    },
    async close(): Promise<void> {
      await handle?.close();
      handle = null;
    },
  };
}

function isTruncated(file: FileHandle, size: number): Promise<boolean> {
  return file.truncate(size).then(
    () => true,
    () => false,
  );
}

async function create(path: string): Promise<FileHandle> {
  const handle = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_DSYNC, 0o600);
  try {
    await syncFolder(dirname(path));
    return handle;
  } catch (error) {
    await handle.close();
    await rm(path, { force: true });
    throw error;
  }
}
