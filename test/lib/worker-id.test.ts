import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listWorkers, removeWorkerFolder } from '../../src/engine/recovery/journal/folder.ts';
import { isDeadHere, newWorkerId, shownWorker } from '../../src/lib/worker-id.ts';
import { journalFolder } from '../engine/recovery/journal/sample-journal.ts';

/** This process's name with another piece in one place. */
function renamed(place: number, piece: string): string {
  return newWorkerId()
    .split('.')
    .map((own, i) => (i === place ? piece : own))
    .join('.');
}

async function pidOfTheDead(): Promise<string> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return String(child.pid);
}

test('a name is new each time and fit for a folder', () => {
  expect(newWorkerId()).not.toBe(newWorkerId());
  expect(newWorkerId()).toMatch(/^[\w.-]+$/);
});

test('this process is alive', () => {
  expect(isDeadHere(newWorkerId())).toBe(false);
});

test('a process that has ended is dead', async () => {
  expect(isDeadHere(renamed(3, await pidOfTheDead()))).toBe(true);
});

test('a pid that another process has by now is dead', () => {
  expect(isDeadHere(renamed(4, '1'))).toBe(true);
});

test('a process on another host or in another container is not known to be dead', async () => {
  const pid = await pidOfTheDead();
  expect(isDeadHere(renamed(3, pid).replace(/^[^.]+/, 'elsewhere'))).toBe(false);
  expect(isDeadHere(renamed(3, pid).replace(/\.\d+\./, '.1.'))).toBe(pid === '1');
  expect(isDeadHere('something else')).toBe(false);
});

test('a process of a container of this name is not known to be dead where the machine below it is another one', () => {
  const [host, , , ...rest] = newWorkerId().split('.');
  expect(isDeadHere([host, '00000000', '4026532201', ...rest].join('.'))).toBe(false);
});

test('workers are listed by their folders, and other things are not', async () => {
  const folder = await journalFolder();
  expect(await listWorkers(folder)).toEqual([]);
  const workers = [newWorkerId(), newWorkerId()].sort();
  for (const name of [...workers, 'lost+found']) await mkdir(join(folder, name), { recursive: true });
  expect(await listWorkers(folder)).toEqual(workers);
  await removeWorkerFolder(folder, workers[0] ?? '');
  expect(await listWorkers(folder)).toEqual(workers.slice(1));
});

test('a worker is shown to people as its process and its host', () => {
  expect(shownWorker('box-0123abcd.3f.4026.123.77.0a1b2c3d')).toBe('process 123 on box');
  expect(shownWorker('me')).toBe('process me');
});
