/**
 * Group commit: while one group of lines is being written, what is asked for meanwhile collects and makes the next, so that many rows share
 * one sync of the disk. Who waits is told of a failure at once; notes are kept and tried again, up to a bound in memory.
 */

type Waiting = {
  readonly text: string;
  /** A note, for which nobody waits: after a failure it is tried again. */
  readonly kept: boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

/** While one group is being written, what is asked for meanwhile collects and makes the next. */
export type GroupCommit = {
  /** Resolves with its group; rejects where that can't be written. */
  write(text: string): Promise<void>;
  /** Goes with the next group, within 50 ms; is tried again until it is written. */
  note(text: string): void;
  /** Resolves when all that came before is written; rejects where it can't be. */
  flush(): Promise<void>;
  /** Ends what is tried again by a timer. */
  stop(): void;
};

type GroupCommitOptions = {
  /** Writes the lines, all or none. */
  readonly commit: (text: string) => Promise<void>;
  readonly onTrouble: (event: string, error: Error) => void;
};

const NOTE_MS = 50;
const RETRY_MS = 1_000;
/** What a full disk may leave waiting in memory, in characters. */
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
    // After a failure only those who wait for an answer are worth another try at once.
    while (queue.some((line) => !failed || !line.kept)) failed = !(await commitGroup());
    busy = false;
    if (queue.length > 0) later(RETRY_MS);
  };
  const commitGroup = async () => {
    const group = queue;
    queue = [];
    try {
      const text = group.map((line) => line.text).join('');
      // Who flushes alone has nothing to write.
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
    // Safe to lose: without its end a row that was about to be sent is in doubt, never free.
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
