import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFile, runsIn } from '../../../src/engine/recovery/journal/folder.ts';
import { type Replayed, readRun } from '../../../src/engine/recovery/journal/read-journal.ts';
import { decodeLine, type StoredRecord } from '../../../src/engine/recovery/journal/record.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import { createRecentMap } from '../../../src/lib/recent.ts';
import type { Disk, Line } from './state.ts';
import type { World } from './world.ts';

/** Most journals are those of another state too: what they come down to is kept, by their text. */
const KEPT = 20_000;
const records = createRecentMap<string, StoredRecord | null>(KEPT);
const journals = createRecentMap<string, readonly OfRun[]>(KEPT);
let folders = 0;

type OfRun = { readonly run: string; readonly part: Replayed };

/** What the line says; `null`: nothing that can be read. */
export function recordOf({ text }: Line): StoredRecord | null {
  const known = records.get(text);
  if (known !== undefined) return known;
  const record = decodeLine(text.trimEnd());
  records.set(text, record);
  return record;
}

/** Puts back what these journals know, as a process does it: from files, and the open intents of all of them last. */
export async function replayDisks(
  world: World,
  disks: readonly Disk[],
  isKeptOut: (mark: string) => boolean,
): Promise<void> {
  const replay = createReplay(world.redis, world.keys);
  const open: Intended[] = [];
  for (const disk of disks)
    if (disk.fate !== 'lost') open.push(...(await replayDisk(disk, world.run.id, replay)));
  for (const { run, rows } of open)
    await replay.intended(
      run,
      rows.filter(({ mark }) => !isKeptOut(mark)),
    );
}

type Replay = ReturnType<typeof createReplay>;
type Intended = Pick<Extract<Replayed, { kind: 'intended' }>, 'run' | 'rows'>;

async function replayDisk({ lines }: Disk, run: string, replay: Replay): Promise<Intended[]> {
  const text = lines.map((line) => line.text).join('');
  const read = journals.get(text) ?? (await readFrom(text, run));
  journals.set(text, read);
  const open: Intended[] = [];
  for (const { run: id, part } of read) {
    if (part.kind === 'run') await replay.run(id, part.fields);
    if (part.kind === 'added') await replay.added(id, part.chunk);
    if (part.kind === 'settled') await replay.settled(id, part.entries);
    if (part.kind === 'intended') open.push(part);
  }
  return open;
}

async function readFrom(text: string, of: string): Promise<readonly OfRun[]> {
  folders += 1;
  const folder = join(tmpdir(), `onboard-model-${process.pid}-${folders}`);
  const worker = 'm';
  await mkdir(join(folder, worker), { recursive: true });
  try {
    await writeFile(runFile(join(folder, worker), of), text);
    const parts: OfRun[] = [];
    for (const run of await runsIn(join(folder, worker))) {
      for await (const part of readRun(folder, { worker, run })) parts.push({ run, part });
    }
    return parts;
  } finally {
    await rm(folder, { recursive: true });
  }
}
