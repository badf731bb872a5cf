import { openPendingFile, type PendingFile } from './pending-file.ts';
import { removeStaleFiles, syncDirectory } from './report-directory.ts';

/** The files of one writing of a report: all of them are whole before the first takes its name. */
export type PendingReport = {
  append(name: string, text: string): Promise<void>;
  /** A file that takes its name before all others; its last version may be among those. */
  claim(name: string, text: string): Promise<void>;
  /** The files appended to so far. */
  names(): readonly string[];
  /** Every file takes its name, in the order they were begun; older report files that are not among them go. */
  publish(): Promise<void>;
  /** Removes whatever was not published; safe to call at any time. */
  discard(): Promise<void>;
};

/** `keep`: names of older files that are neither written nor removed. */
export function createPendingReport(directory: string, keep: readonly string[] = []): PendingReport {
  const claims: PendingFile[] = [];
  const files = new Map<string, PendingFile>();
  const fileOf = async (name: string) => {
    const known = files.get(name);
    if (known !== undefined) return known;
    const file = await openPendingFile(directory, name);
    files.set(name, file);
    return file;
  };
  return {
    append: async (name, text) => {
      if (!keep.includes(name)) await (await fileOf(name)).append(text);
    },
    claim: async (name, text) => {
      const file = await openPendingFile(directory, name);
      claims.push(file);
      await file.append(text);
    },
    names: () => [...files.keys()],
    publish: async () => {
      const inOrder = [...claims, ...files.values()];
      for (const file of inOrder) await file.seal();
      for (const file of inOrder) await file.publish();
      await removeStaleFiles(directory, new Set([...files.keys(), ...keep]));
      await syncDirectory(directory);
    },
    discard: async () => {
      await Promise.allSettled([...claims, ...files.values()].map((file) => file.discard()));
    },
  };
}
