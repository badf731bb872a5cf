/**
 * When a watcher looks: its interval, how soon after news of the file system or a run, and its
 * waits. Reads no file.
 */
import { type FSWatcher, watch } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** What ends a wait: a change in a folder, or the end of some work. */
type Wake = 'look' | 'work';

/** Waits for time or news; news that come while nobody waits end the next wait. */
export function createWaker() {
  let heard = new Set<Wake>();
  let ring = () => {};
  return {
    wake(why: Wake) {
      heard.add(why);
      ring();
    },
    hasNews: () => heard.size > 0,
    /** Answers what happened; empty: the time was up. */
    async wait(ms: number) {
      if (heard.size === 0) {
        const timer = new AbortController();
        const news = new Promise<void>((resolve) => {
          ring = resolve;
        });
        await Promise.race([news, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
        timer.abort();
      }
      const answer = heard;
      heard = new Set();
      return answer;
    },
  };
}

export type Waker = ReturnType<typeof createWaker>;

/** Looks take a fifth of the time at most. */
const CALM_FACTOR = 4;
const CALM_MS = 50;
const RUNS_MS = 1_000;
/** Events can be lost, and network file systems have none. */
const LOOK_MS = 5_000;

/** When to look at folders, at waiting runs, and rarely at the rest. */
export function createLookClock(now: () => number) {
  let begun = 0;
  let earliest = now();
  let next = now();
  let wanted = true;
  const every = { runs: RUNS_MS, rare: LOOK_MS };
  const last = { runs: now(), rare: Number.NEGATIVE_INFINITY };
  return {
    isLookDue: () => now() >= next,
    /** Wants a look at the folders, as soon as looks would not take too much time. */
    lookSoon() {
      wanted = true;
      next = Math.min(next, earliest);
    },
    /** A look is wanted and has not begun. */
    isLookWanted: () => wanted,
    lookBegins() {
      begun = now();
      wanted = false;
    },
    /** `nextMs`: until something may be found; `null`: nothing is expected. */
    lookEnds(nextMs: number | null) {
      const took = now() - begun;
      earliest = now() + Math.max(CALM_MS, CALM_FACTOR * took);
      next = wanted ? earliest : Math.max(earliest, now() + Math.min(LOOK_MS, nextMs ?? LOOK_MS));
    },
    /** True once per interval. */
    isDue(what: 'runs' | 'rare') {
      if (now() - last[what] < every[what]) return false;
      last[what] = now();
      return true;
    },
    /** Ms until something is due. */
    leftMs: () => Math.max(0, Math.min(next, last.runs + every.runs) - now()),
  };
}

/** Systems limit watches per user; the next look finds news in further folders. */
const MOST_WATCHES = 1_000;

/**
 * Hints at changes in folders; events can be lost. One watch per folder, reading nothing: chokidar
 * reads a folder again for each change, which took a third of the time of 1,000 files. `onTrouble`:
 * the system gives no events.
 */
export function createFolderEvents(onChange: () => void, onTrouble: (error: Error) => void) {
  const watches = new Map<string, FSWatcher>();
  const drop = (folder: string) => {
    watches.get(folder)?.close();
    watches.delete(folder);
  };
  const add = (folder: string) => {
    try {
      const watcher = watch(folder, onChange);
      watcher.on('error', () => drop(folder));
      watches.set(folder, watcher);
    } catch (error) {
      onTrouble(error instanceof Error ? error : new Error(String(error)));
    }
  };
  return {
    /** Watches these folders from now on, and no others. */
    follow(folders: readonly string[]) {
      const wanted = new Set(folders.slice(0, MOST_WATCHES));
      for (const folder of watches.keys()) if (!wanted.has(folder)) drop(folder);
      for (const folder of wanted) if (!watches.has(folder)) add(folder);
    },
    close() {
      for (const folder of [...watches.keys()]) drop(folder);
    },
  };
}

export type FolderEvents = ReturnType<typeof createFolderEvents>;
