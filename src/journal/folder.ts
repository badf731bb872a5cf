/**
 * The journals' places, `<ONBOARD_HOME>/journal/<target>/<worker>/<run>.log`, synced so that every
 * promise outlives a power cut; and beside them the name of the worker's latest epoch.
 */

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { insteadOf } from '../lib/errors.ts';
import { makeFolder, syncFolder } from '../lib/make-folder.ts';

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

/** Not synced: after a power cut an older name, or none, is the safe side. */
export function writeEpoch(path: string, epoch: string): Promise<void> {
  return writeFile(join(path, EPOCH), epoch, { mode: 0o600 });
}

/** The latest epoch of the ledger that the worker was in; `''`: unknown. */
export function readEpoch(path: string): Promise<string> {
  return readFile(join(path, EPOCH), 'utf8').catch(insteadOf('ENOENT', ''));
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
