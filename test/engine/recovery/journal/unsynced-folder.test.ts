import type { FileHandle } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { makeHomeFolder } from '../../../../src/config/environment.ts';
import { openJournal } from '../../../../src/engine/recovery/journal/journal.ts';
import { explain } from '../../../../src/faces/cli/program.ts';
import { messageOf } from '../../../../src/lib/errors.ts';
import { newWorkerId } from '../../../../src/lib/worker-id.ts';
import { BrokenOffError } from '../../../../src/runs/redis-wait.ts';
import { memoryIo } from '../../../faces/cli/memory-io.ts';
import { emptyJournal, journalFolder, RUN, readAll, settled } from './sample-journal.ts';

/**
 * How many folders have been synced since it was set to 0, and which of these fails; 0: none. Torn: the next write fails half-way through
 * its lines. Full: no folder can be made. Room: how long a file can be.
 */
const disk = vi.hoisted(() => ({
  synced: 0,
  failing: 0,
  isTorn: false,
  isFull: false,
  room: Number.POSITIVE_INFINITY,
}));

const tearing = vi.hoisted(() => (handle: FileHandle, torn: { isTorn: boolean; room: number }) => {
  const append = handle.appendFile.bind(handle);
  return Object.assign(handle, {
    async appendFile(bytes: Buffer) {
      const { size } = await handle.stat();
      const room = torn.isTorn ? Math.floor(bytes.lastIndexOf(10) / 2) : torn.room - size;
      if (bytes.length <= room) return append(bytes);
      await append(bytes.subarray(0, room));
      if (!torn.isTorn) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
      torn.isTorn = false;
      throw new Error('EIO: the disk failed');
    },
  });
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs/promises')>();
  const open: typeof fs.open = async (path, flags, mode) => {
    const handle = await fs.open(path, flags, mode);
    if (flags !== 'r') return tearing(handle, disk);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      disk.synced += 1;
      if (disk.synced === disk.failing)
        throw Object.assign(new Error('EIO: the folder could not be synced'), { syscall: 'fsync' });
      await sync();
    };
    return handle;
  };
  const mkdir = async (...args: Parameters<typeof fs.mkdir>) => {
    if (disk.isFull)
      throw Object.assign(new Error('ENOSPC: no space left on device, mkdir'), { code: 'ENOSPC' });
    return fs.mkdir(...args);
  };
  return { ...fs, open, mkdir };
});

function failSync(failing: number): void {
  disk.synced = 0;
  disk.failing = failing;
}

test('a journal whose folder can not be synced is not opened', async () => {
  failSync(1);
  const opening = openJournal({
    folder: await journalFolder(),
    worker: newWorkerId(),
    onTrouble: () => undefined,
  });
  const error = await opening.catch((reason: unknown) => reason);
  const io = memoryIo();
  expect(explain(error, io)).toBe(3);
  expect(io.stderr.text).toMatch(
    /^onboard: a file system does not make durable .+could not be synced: the file system of \/.+\/journal/,
  );
});

test('a home on a file system that has no fsync is refused with the folder, and what is missing there', async () => {
  failSync(1);
  const home = await journalFolder();
  const words = `ONBOARD_HOME ${home} can't be used: EIO.+the file system of ${home}/redis did not sync it.+has fsync`;
  await expect(makeHomeFolder(home, 'redis')).rejects.toThrow(new RegExp(words));
});

test.each([
  ['begun', 3],
  ['written to, while a run goes on', 2],
])('a full disk on which a journal can not be %s is told as one, with what to do', async (_, exitCode) => {
  failSync(0);
  const io = memoryIo({ typed: 'onboard run a.csv' });
  const { journal } = await emptyJournal();
  disk.isFull = exitCode === 3;
  disk.room = 0;
  const folder = await journalFolder();
  const begin = () => openJournal({ folder, worker: newWorkerId(), onTrouble: () => undefined });
  const error = await (disk.isFull ? begin() : journal.write(RUN)).catch((reason: unknown) => reason);
  disk.isFull = false;
  disk.room = Number.POSITIVE_INFINITY;
  const broken = exitCode === 2 ? new BrokenOffError(messageOf(error), { cause: error }) : error;
  expect(explain(broken, io)).toBe(exitCode);
  expect(io.stderr.text).toMatch(
    /^onboard: a disk is full: .*\. Make room on it, and give the command again\.\n/,
  );
  expect(io.stderr.text).not.toContain('unexpected');
});

test('what is half written to a disk that fails does not count, and nothing more is written to that file', async () => {
  failSync(0);
  const { folder, journal, files } = await emptyJournal();
  await journal.write(RUN);
  disk.isTorn = true;
  const late = { kind: 'added', run: 'r1', chunk: 1 } as const;
  await expect(journal.write(late)).rejects.toThrow('the disk failed');
  await expect(journal.write(late)).rejects.toThrow('the disk failed');
  await journal.write({ ...RUN, run: 'r3' });
  const { runs, added, damage } = await readAll(folder, journal.worker);
  expect([[...runs.keys()], added.size, damage, await files()]).toEqual([
    ['r1', 'r3'],
    0,
    [],
    ['r1.log', 'r3.log'],
  ]);
});

test('a full disk takes lines again once it has room', async () => {
  failSync(0);
  const { folder, journal } = await emptyJournal();
  await journal.write(RUN);
  disk.room = 1_000;
  let written = 0;
  const write = () => journal.write(settled('r1', [1, written + 1, 'created'])).then(() => true);
  while (await write().catch(() => false)) written += 1;
  expect(written).toBeGreaterThan(5);
  disk.room = Number.POSITIVE_INFINITY;
  await write();
  const read = await readAll(folder, journal.worker);
  expect([read.settled.size, read.damage]).toEqual([written + 1, []]);
});

test('what is written to a file whose folder can not be synced does not count, and the next try makes it anew', async () => {
  const { folder, journal, troubles } = await emptyJournal();
  failSync(1);
  await expect(journal.write(RUN)).rejects.toThrow('could not be synced');
  expect((await readAll(folder, journal.worker)).runs.size).toBe(0);
  await journal.write(RUN);
  expect([...(await readAll(folder, journal.worker)).runs.keys()]).toEqual(['r1']);
  expect(troubles).toEqual([
    expect.stringMatching(/^the journal could not be written: .*r1\.log could not be written: EIO/),
  ]);
});

test('a journal is read up to where it ended when the reading began, while it is written', async () => {
  failSync(0);
  const { folder, journal } = await emptyJournal();
  await journal.write(RUN);
  for (let rows = 1; rows <= 20; rows += 1) {
    const long = settled(
      'r1',
      ...Array.from({ length: 1_000 }, (_, i) => [rows, rows * 1_000 + i, 'created'] as const),
    );
    const [read] = await Promise.all([readAll(folder, journal.worker), journal.write(long)]);
    expect(read.damage).toEqual([]);
    expect(read.settled.size).toBeGreaterThanOrEqual((rows - 1) * 1_000);
  }
});
