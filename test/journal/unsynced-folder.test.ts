import type { FileHandle } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { explain } from '../../src/cli/program.ts';
import { type Journal, openJournal } from '../../src/journal/journal.ts';
import type { JournalRecord } from '../../src/journal/record.ts';
import { newWorkerId } from '../../src/journal/worker-registry.ts';
import { messageOf } from '../../src/lib/errors.ts';
import { BrokenOffError } from '../../src/runs/broken-off-error.ts';
import { memoryIo } from '../cli/memory-io.ts';
import { journalFolder, ownJournal, readAll, settled } from './sample-journal.ts';

const ROWS = 8;
const RUN = { kind: 'run', run: 'r1', target: 't', fields: {} } as const;

/**
 * How many folders have been synced since it was set to 0, and which of these fails; 0: none. Torn: the next write fails half-way through
 * its lines. Full: no folder can be made. Room: how long a file can be. Reading: called before each read of a file.
 */
const disk = vi.hoisted(() => ({
  synced: 0,
  failing: 0,
  isTorn: false,
  isFull: false,
  room: Number.POSITIVE_INFINITY,
  reading: async () => {},
}));

const tearing = vi.hoisted(() => (handle: FileHandle, torn: { isTorn: boolean; room: number }) => {
  const write = handle.write.bind(handle);
  return Object.assign(handle, {
    async write(bytes: Buffer, from: number, length: number, position: number) {
      if (position >= torn.room) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
      if (!torn.isTorn) return write(bytes, from, Math.min(length, torn.room - position), position);
      torn.isTorn = false;
      await write(bytes, from, Math.floor(bytes.lastIndexOf(10) / 2), position);
      throw new Error('EIO: the disk failed');
    },
  });
});

vi.mock('node:fs/promises', async (importOriginal) => {
  const fs = await importOriginal<typeof import('node:fs/promises')>();
  const open: typeof fs.open = async (path, flags, mode) => {
    const handle = await fs.open(path, flags, mode);
    if (flags !== 'r') return tearing(handle, disk);
    const [sync, read] = [handle.sync.bind(handle), handle.read.bind(handle)];
    handle.read = async (...args: Parameters<typeof read>) => {
      await disk.reading();
      return read(...args);
    };
    handle.sync = async () => {
      disk.synced += 1;
      if (disk.synced === disk.failing) throw new Error('EIO: the folder could not be synced');
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
  await expect(opening).rejects.toThrow('could not be synced');
});

test.each([
  ['begun', 3],
  ['written to, while a run goes on', 2],
])('a full disk on which a journal can not be %s is told as one, with what to do', async (_, exitCode) => {
  failSync(0);
  const io = memoryIo({ typed: 'onboard run a.csv' });
  const { journal } = await ownJournal();
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

test('what is half written to a disk that fails does not count, and the next goes to another segment', async () => {
  failSync(0);
  const { folder, journal, files } = await ownJournal();
  await journal.write(RUN);
  disk.isTorn = true;
  await expect(journal.write({ ...RUN, run: 'r2' })).rejects.toThrow('the disk failed');
  await journal.write({ ...RUN, run: 'r3' });
  expect(await files()).toContain('000002.log');
  const { runs, damage } = await readAll(folder, journal.worker);
  expect([[...runs.keys()], damage]).toEqual([['r1', 'r3'], []]);
});

test('a disk with room for lines, and not for zeros behind them, takes the lines until it is full', async () => {
  failSync(0);
  const { folder, journal, files } = await ownJournal();
  disk.room = 1_000;
  let written = 0;
  const write = () => journal.write({ ...RUN, run: `r${written + 1}` }).then(() => true);
  while (await write().catch(() => false)) written += 1;
  expect(written).toBeGreaterThan(5);
  disk.room = Number.POSITIVE_INFINITY;
  await write();
  const { runs, damage } = await readAll(folder, journal.worker);
  expect([runs.size, damage, await files()]).toEqual([written + 1, [], ['000001.log']]);
});

test('what is written to a segment whose folder can not be synced does not count, and the next has another', async () => {
  const { folder, journal, troubles, files } = await ownJournal();
  failSync(1);
  await expect(journal.write(RUN)).rejects.toThrow('could not be synced');
  expect((await readAll(folder, journal.worker)).runs.size).toBe(0);
  await journal.write(RUN);
  expect([...(await readAll(folder, journal.worker)).runs.keys()]).toEqual(['r1']);
  expect(await files()).toEqual(['000001.log', '000002.log']);
  expect(troubles).toEqual(['the journal could not be written: EIO: the folder could not be synced']);
});

/** Until it is on the disk: no more than one sync fails. */
async function write(journal: Journal, record: JournalRecord): Promise<void> {
  await journal.write(record).catch(() => journal.write(record));
}

test('whichever sync of the folder fails, all that was written is kept until it is forgotten', async () => {
  let syncs = 1;
  for (let failing = 0; failing < syncs; failing += 1) {
    // A segment for nearly each record.
    const { folder, journal } = await ownJournal(100);
    failSync(failing);
    await write(journal, RUN);
    for (let row = 1; row <= ROWS; row += 1) await write(journal, settled('r1', [1, row, 'created']));
    expect((await readAll(folder, journal.worker)).settled.size, `sync ${failing}`).toBe(ROWS);
    if (failing === 0) syncs = disk.synced;
    await journal.forget('r1');
    failSync(0);
    await journal.close();
    expect((await readAll(folder, journal.worker)).runs.size, `sync ${failing}`).toBe(0);
  }
});

test('what is written to a journal while it is read is no damage, before whichever read of the file it comes', async () => {
  failSync(0);
  // Longer than what is read at once, so that its end may be seen before its beginning.
  const long = settled('r1', ...Array.from({ length: 10_000 }, (_, i) => [1, i, 'created'] as const));
  let reads = 0;
  for (let at = 1; at === 1 || at <= reads; at += 1) {
    const { folder, journal } = await ownJournal();
    await journal.write(RUN);
    reads = 0;
    disk.reading = async () => {
      reads += 1;
      if (reads === at) await journal.write(long);
    };
    const { runs, damage } = await readAll(folder, journal.worker);
    disk.reading = async () => {};
    expect([[...runs.keys()], damage], `read ${at}`).toEqual([['r1'], []]);
    expect((await readAll(folder, journal.worker)).settled.size).toBe(10_000);
  }
  expect(reads).toBeGreaterThan(3);
});
