/**
 * Group commit: what is asked for while one group of lines is written becomes the next group, so
 * that many rows share one sync. A group that can't be written counts for nothing, and its callers
 * are told. Safe for notes too, which nobody waits for: a row about to be sent without an end is in
 * doubt, never free.
 */

type Waiting = {
  readonly text: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
};

export type GroupCommit = {
  /** Resolves with its group; rejects where that can't be written. */
  write(text: string): Promise<void>;
  /** Goes with the next group, within 50 ms. */
  note(text: string): void;
  /** Resolves when all earlier lines are written or given up; rejects where the last group was. */
  flush(): Promise<void>;
};

type GroupCommitOptions = {
  /** All or none. */
  readonly commit: (text: string) => Promise<void>;
  readonly onTrouble: (event: string, error: Error) => void;
};

const NOTE_MS = 50;

export function createGroupCommit({ commit, onTrouble }: GroupCommitOptions): GroupCommit {
  let queue: Waiting[] = [];
  let busy = false;
  let timer: NodeJS.Timeout | null = null;

  const drain = async () => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (busy) return;
    busy = true;
    while (queue.length > 0) await commitGroup();
    busy = false;
  };
  const commitGroup = async () => {
    const group = queue;
    queue = [];
    try {
      const text = group.map((line) => line.text).join('');
      // A flush alone has nothing to write.
      if (text !== '') await commit(text);
      for (const line of group) line.resolve();
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      onTrouble('the journal could not be written', error);
      for (const line of group) line.reject(error);
    }
  };
  const write = (text: string) =>
    new Promise<void>((resolve, reject) => {
      queue.push({ text, resolve, reject });
      if (!busy) void drain();
    });

  return {
    write,
    note(text) {
      queue.push({ text, resolve: () => {}, reject: () => {} });
      if (!busy) timer ??= setTimeout(() => void drain(), NOTE_MS);
    },
    flush: () => write(''),
  };
}
