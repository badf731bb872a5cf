/**
 * The journals' places, `<ONBOARD_HOME>/journal/<target>/<worker>/<run>.log`, synced so that every
 * promise outlives a power cut; and beside them what the worker last knew of the ledger.
 */

import { type FileHandle, mkdir, open, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { insteadOf } from '../../../lib/errors.ts';
import { makeFolder, syncFolder } from '../../../lib/make-folder.ts';
import { sleep } from '../../../lib/waiting.ts';
import { isWorkerId } from '../../../lib/worker-id.ts';

/** Not what copies and other systems' files are called: `run copy.log`, `._run.log`. */
const RUN_FILE = /^([\w-]+)\.log$/;

export function runFile(path: string, run: string): string {
  return join(path, `${run}.log`);
}

/** Sorted; none where the worker's journal was removed. */
export async function runsIn(path: string): Promise<string[]> {
  const names = await readdir(path).catch(insteadOf('ENOENT', []));
  return names.flatMap((name) => RUN_FILE.exec(name)?.[1] ?? []).sort();
}

const EPOCH = 'epoch';

/** A worker's latest epoch, and the sequence number of its last command that Redis answered. */
export type LastKnown = { readonly epoch: string; readonly sequence: number };

/** How far what is written may lag: a write for each command would cost more than it tells. */
const LAG_MS = 20;

/**
 * Written in place, so that a kill leaves the former text or the new one. Not synced: a power cut
 * leaves an older one, and an older epoch, or none, is the safe side.
 */
export function openLastKnown(path: string, onTrouble: (error: unknown) => void) {
  let file: FileHandle | null = null;
  let [text, written] = ['', ''];
  let writing: Promise<void> | null = null;
  const write = async () => {
    for (; written !== text; await sleep(LAG_MS)) {
      file ??= await open(join(path, EPOCH), 'w', 0o600);
      const next = text;
      await file.write(next, 0);
      written = next;
    }
  };
  return {
    write({ epoch, sequence }: LastKnown): void {
      text = `${epoch} ${sequence}\n`;
      writing ??= write()
        .catch(onTrouble)
        .finally(() => {
          writing = null;
        });
    },
    async close(): Promise<void> {
      await writing;
      await file?.close();
    },
  };
}

/** Unknown: no epoch, and more commands than any Redis has. */
export async function readLastKnown(path: string): Promise<LastKnown> {
  const text = await readFile(join(path, EPOCH), 'utf8').catch(insteadOf('ENOENT', ''));
  const [epoch = '', sequence = 'Infinity'] = text.split(/\s/);
  return { epoch, sequence: Number(sequence) };
}

/** When its last run was begun or forgotten, or its worker left (ms); 0: it is gone. */
export async function changedAt(folder: string, worker: string): Promise<number> {
  return (await stat(join(folder, worker)).catch(insteadOf('ENOENT', null)))?.mtimeMs ?? 0;
}

/** A dead worker's journal, once all of its runs have ended; nothing where it is gone. */
export async function removeWorkerFolder(folder: string, worker: string): Promise<void> {
  await rm(join(folder, worker), { recursive: true, force: true });
  await syncFolder(folder);
}

/** `<folder>/<worker>`, durably, for its owner alone; throws where it exists. */
export async function makeWorkerFolder(folder: string, worker: string): Promise<string> {
  const path = join(folder, worker);
  await makeFolder(folder);
  await mkdir(path, { mode: 0o700 });
  for (const above of ['.', '..', '../..']) await syncFolder(join(folder, above));
  return path;
}

/** Workers with a journal in the folder, sorted; none without the folder. */
export async function listWorkers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(insteadOf('ENOENT', []));
  return entries
    .filter((entry) => entry.isDirectory() && isWorkerId(entry.name))
    .map((entry) => entry.name)
    .sort();
}
