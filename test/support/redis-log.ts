import { statSync } from 'node:fs';
import { readdir, readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';

/** How much of the log's end is taken away. */
export type LogCut =
  | { readonly kind: 'bytes'; readonly bytes: number }
  | { readonly kind: 'commands'; readonly commands: number }
  /** Down to that size. */
  | { readonly kind: 'size'; readonly bytes: number };

/** The part of the append-only file that grows (Redis 7: `appendonlydir/*.incr.aof`); an Error where there is none. */
export async function growingLog(folder: string): Promise<string> {
  const logs = join(folder, 'appendonlydir');
  const names = (await readdir(logs)).filter((name) => name.endsWith('.incr.aof'));
  const newest = names.toSorted((a, b) => sequenceOf(a) - sequenceOf(b)).at(-1);
  if (newest === undefined) throw new Error(`no growing append-only file in ${logs}`);
  return join(logs, newest);
}

function sequenceOf(name: string): number {
  return Number(/\.(\d+)\.incr\.aof$/.exec(name)?.[1] ?? 0);
}

/** Shortens the log of a server that is not running; answers how many bytes went. */
export async function cutLog(folder: string, cut: LogCut): Promise<number> {
  const path = await growingLog(folder);
  const { size } = statSync(path);
  const left = Math.max(0, Math.min(size, await sizeLeft(path, size, cut)));
  await truncate(path, left);
  return size - left;
}

async function sizeLeft(path: string, size: number, cut: LogCut): Promise<number> {
  switch (cut.kind) {
    case 'bytes':
      return size - cut.bytes;
    case 'size':
      return cut.bytes;
    case 'commands':
      return commandOffsets(await readFile(path)).at(-cut.commands) ?? 0;
    default:
      return cut satisfies never;
  }
}

/** Where each command of a log begins; lines that begin with `#` are annotations. */
export function commandOffsets(log: Buffer): number[] {
  const offsets: number[] = [];
  let at = 0;
  const line = () => {
    const end = log.indexOf('\r\n', at);
    const text = log.toString('latin1', at, end === -1 ? log.length : end);
    at = end === -1 ? log.length : end + 2;
    return text;
  };
  while (at < log.length) {
    const begin = at;
    const head = line();
    if (!head.startsWith('*')) continue;
    offsets.push(begin);
    for (let words = Number(head.slice(1)); words > 0; words -= 1) {
      const bytes = Number(line().slice(1));
      at += bytes + 2;
    }
  }
  return offsets;
}

const SAMPLE_MS = 20;
const SAMPLES_MAX = 100_000;

/** Writes down how large the log is, again and again, so that it can be cut back by time. */
export type LogClock = {
  /** The size `ms` before the last sample; 0 where the log is younger. */
  sizeBefore(ms: number): number;
  stop(): void;
};

export function startLogClock(path: string): LogClock {
  const samples: Array<{ readonly at: number; readonly bytes: number }> = [];
  const sample = () => {
    samples.push({ at: performance.now(), bytes: statSync(path).size });
    if (samples.length > SAMPLES_MAX) samples.shift();
  };
  sample();
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    sizeBefore(ms) {
      const last = samples.at(-1)?.at ?? 0;
      return samples.findLast(({ at }) => at <= last - ms)?.bytes ?? 0;
    },
    stop: () => clearInterval(timer),
  };
}
