/** The ending of the notes that lie beside files that were taken. */
export const NOTE_ENDING = '.note.txt';

/** What programs call a file that they are still writing. */
const UNFINISHED_ENDINGS = ['.part', '.tmp', '.filepart', '.crdownload', '~'];

/** Whether a file of that name is never taken from an inbox: unfinished uploads, hidden files, notes and marker files. */
export function isNeverTaken(name: string, markers: readonly string[]): boolean {
  const lower = name.toLowerCase();
  if (name.startsWith('.')) return true;
  return [...UNFINISHED_ENDINGS, NOTE_ENDING, ...markers].some((ending) =>
    lower.endsWith(ending.toLowerCase()),
  );
}

/** The name that an unfinished upload will have when it is whole; the name itself where it is none. */
export function nameWhenWhole(name: string): string {
  const ending = UNFINISHED_ENDINGS.find((one) => name.toLowerCase().endsWith(one));
  return ending === undefined ? name : name.slice(0, -ending.length);
}
