/** One entry of an inbox as a look at its folder found it; nothing was opened or followed for it. */
export type Entry = {
  /** The folders that lead to it from the inbox. */
  readonly parts: readonly Buffer[];
  readonly name: Buffer;
  /** Relative to the inbox, with `/`, for people and patterns; what is no UTF-8 shows as U+FFFD. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
  readonly links: number;
  /** As `stampOf` (file-stamp.ts) gives it. */
  readonly stamp: string;
  /** When content, name, owner or rights changed last, milliseconds. */
  readonly changedMs: number;
};

/** How a name of data ends: a folder that is called so was meant to be a file. */
const DATA_NAME = /\.(csv|tsv|txt|json|ndjson|jsonl|xlsx|gz)$/i;

/** Control characters, line separators, and the marks that turn the direction of text. */
const UNSAFE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

/** Whether a folder is called like a file of data. */
export function isDataName(name: string): boolean {
  return DATA_NAME.test(name);
}

/** What is wrong with a name, in words for its sender; `null`: nothing. */
export function nameProblem(name: Buffer): string | null {
  const text = name.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(name)) return 'its name is not valid UTF-8';
  if (UNSAFE.test(text)) return 'its name has control characters in it';
  return text.includes('..') ? 'its name has ".." in it' : null;
}

/** Why an entry can't be taken whatever its job, in words for its sender; `null`: it is a file as it should be. */
export function entryProblem(entry: Pick<Entry, 'name' | 'kind' | 'links'>): string | null {
  switch (entry.kind) {
    case 'link':
      return 'it is a symbolic link, and links are not followed';
    case 'folder':
      return nameProblem(entry.name) ?? 'it is a folder, though it is called like a file';
    case 'other':
      return 'it is no regular file (a pipe, a device or a socket)';
    case 'file':
      if (entry.links > 1) return 'it is a hard link: the same file has another name elsewhere';
      return nameProblem(entry.name);
    default:
      return entry.kind satisfies never;
  }
}
