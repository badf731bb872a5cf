import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFile, runsIn } from '../../../src/journal/folder.ts';
import { type Replayed, readRun } from '../../../src/journal/read-journal.ts';
import { createReplay } from '../../../src/ledger/replay.ts';
import type { Disk } from './state.ts';
import type { World } from './world.ts';

let folders = 0;

/** Puts back what these journals know, as a process does it: from files, and the open intents of all of them last. */
export async function replayDisks(
  world: World,
  disks: readonly Disk[],
  isHeld: (mark: string) => boolean,
): Promise<void> {
  const replay = createReplay(world.redis, world.keys);
  const open: Intended[] = [];
  for (const disk of disks)
    if (disk.fate !== 'lost') open.push(...(await replayDisk(disk, world.run.id, replay)));
  for (const { run, rows } of open)
    await replay.intended(
      run,
      rows.filter(({ mark }) => !isHeld(mark)),
    );
}

type Replay = ReturnType<typeof createReplay>;
type Intended = Pick<Extract<Replayed, { kind: 'intended' }>, 'run' | 'rows'>;

async function replayDisk(disk: Disk, run: string, replay: Replay): Promise<Intended[]> {
  folders += 1;
  const folder = join(tmpdir(), `onboard-model-${process.pid}-${folders}`);
  await mkdir(join(folder, disk.worker), { recursive: true });
  try {
    const text = disk.lines.map((line) => line.text).join('');
    await writeFile(runFile(join(folder, disk.worker), run), text);
    return await replayFolder(folder, disk.worker, replay);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function replayFolder(folder: string, worker: string, replay: Replay): Promise<Intended[]> {
  const open: Intended[] = [];
  for (const run of await runsIn(join(folder, worker))) {
    for await (const part of readRun(folder, { worker, run })) {
      if (part.kind === 'run') await replay.run(run, part.fields);
      if (part.kind === 'added') await replay.added(run, part.chunk, worker);
      if (part.kind === 'settled') await replay.settled(run, part.entries);
      if (part.kind === 'intended') open.push(part);
    }
  }
  return open;
}
