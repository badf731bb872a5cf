import { openPendingFile, type PendingFile } from './pending-file.ts';
import { removeStaleFiles, syncDirectory } from './report-directory.ts';

/** The files of one writing of a report: all of them are whole before the first takes its name. */
export type PendingReport = {
  append(name: string, text: string): Promise<void>;
  /** The files appended to so far. */
  names(): readonly string[];
  /** Every file takes its name, in the order they were begun; older report files that are not among them go. */
  publish(): Promise<void>;
  /** Removes whatever was not published; safe to call at any time. */
  discard(): Promise<void>;
};

export function createPendingReport(directory: string): PendingReport {
  const files = new Map<string, PendingFile>();
  const fileOf = async (name: string) => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const file = await openPendingFile(directory, name);
    files.set(name, file);
    return file;
  };
  return {
    append: async (name, text) => (await fileOf(name)).append(text),
    names: () => [...files.keys()],
    publish: async () => {
      for (const file of files.values()) await file.seal();
      for (const file of files.values()) await file.publish();
      await removeStaleFiles(directory, new Set(files.keys()));
      await syncDirectory(directory);
    },
    discard: async () => {
      await Promise.allSettled([...files.values()].map((file) => file.discard()));
    },
  };
}
