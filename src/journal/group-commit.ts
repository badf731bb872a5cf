/**
 * Group commit: what is asked for while one group of lines is written becomes the next group, so
 * that many rows share one sync. Callers who wait learn of a failure at once; notes are kept and
 * tried again, up to a limit of memory.
 */

type Waiting = {
  readonly text: string;
  /** After a failure a note is tried again: nobody waits for it. */
  readonly kept: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

export type GroupCommit = {
  /** Resolves with its group; rejects where that can't be written. */
  write(text: string): Promise<void>;
  /** Goes with the next group, within 50 ms; is tried again until it is written. */
  note(text: string): void;
  /** Resolves when all earlier lines are written; rejects where they can't be. */
  flush(): Promise<void>;
  stop(): void;
};

type GroupCommitOptions = {
  /** All or none. */
  readonly commit: (text: string) => Promise<void>;
  readonly onTrouble: (event: string, error: Error) => void;
};

const NOTE_MS = 50;
const RETRY_MS = 1_000;
/** Characters that a full disk may leave in memory. */
const KEPT_MAX = 16 * 1024 * 1024;

export function createGroupCommit({ commit, onTrouble }: GroupCommitOptions): GroupCommit {
  let queue: Waiting[] = [];
  let busy = false;
  let stopped = false;
  let timer: NodeJS.Timeout | null = null;

  const later = (ms: number) => {
    if (!stopped) timer ??= setTimeout(() => void drain(), ms);
  };
  const drain = async () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (busy) return;
    busy = true;
    let failed = false;
    // After a failure only lines with a waiting caller are tried again at once.
    while (queue.some((line) => !failed || !line.kept)) failed = !(await commitGroup());
    busy = false;
    if (queue.length > 0) later(RETRY_MS);
  };
  const commitGroup = async () => {
    const group = queue;
    queue = [];
    try {
      const text = group.map((line) => line.text).join('');
      // A flush alone has nothing to write.
      if (text !== '') await commit(text);
      for (const line of group) line.resolve();
      return true;
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      onTrouble('the journal could not be written', error);
      for (const line of group) line.reject(error);
      queue = [...bounded(group.filter((line) => line.kept)), ...queue];
      return false;
    }
  };
  const bounded = (lines: readonly Waiting[]) => {
    const kept = newest(lines, KEPT_MAX);
    const dropped = lines.length - kept.length;
    // Safe to lose: a row about to be sent without an end is in doubt, never free.
    if (dropped > 0)
      onTrouble('the journal has dropped what it could not write', new Error(`${dropped} records`));
    return kept;
  };
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      queue.push({ text, kept: false, resolve, reject });
      if (!busy) void drain();
    });

  return {
    write,
    note(text) {
      queue.push({ text, kept: true, resolve: () => {}, reject: () => {} });
      if (!busy) later(NOTE_MS);
    },
    flush: () => write(''),
    stop() {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
}

function newest(lines: readonly Waiting[], max: number): readonly Waiting[] {
  let size = 0;
  const first = lines.findLastIndex((line) => {
    size += line.text.length;
    return size > max;
  });
  return lines.slice(first + 1);
}
