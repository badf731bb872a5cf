import { type FSWatcher, watch } from 'node:fs';

/** Tells when something may have changed in folders; a hint, since events can be lost. */
export type FolderEvents = {
  /** Which folders there are by now. */
  follow(folders: readonly string[]): void;
  close(): void;
};

/**
 * One watch per folder, with nothing read for it: chokidar reads a folder again, and looks at every entry, for each of its
 * changes, which took a third of the time of 1,000 files. `onTrouble` where the system gives no events.
 */
export function createFolderEvents(onChange: () => void, onTrouble: (error: Error) => void): FolderEvents {
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
    follow(folders) {
      for (const folder of watches.keys()) if (!folders.includes(folder)) drop(folder);
      for (const folder of folders) if (!watches.has(folder)) add(folder);
    },
    close() {
      for (const folder of [...watches.keys()]) drop(folder);
    },
  };
}
