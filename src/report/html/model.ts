/** What report.html is made of, and what it may show: what its sections are given, each of them. */
import type { JobDefinition } from '../../config/job-definition.ts';
import { cut, withoutKeys } from '../../lib/html-text.tsx';
import type { Digest } from '../../model/digest.ts';
import type { Notes } from '../../model/note.ts';
import type { Happening } from '../../model/story.ts';
import type { Summary } from '../summary.ts';

export type Page = {
  readonly summary: Summary;
  readonly digest: Digest;
  readonly story: readonly Happening[];
  readonly notes: Notes;
  /** `null` where the ledger no longer has it. */
  readonly definition: JobDefinition | null;
  /** The file's columns. */
  readonly columns: readonly string[];
  /** Where the report lies; empty in one to be mailed. */
  readonly directory: string;
  /** How this program is called. */
  readonly command: string;
  readonly version: string;
  /** To be mailed: no keys, no folders, no target, no cells. */
  readonly isShared: boolean;
};

const KEY_BYTES = 120;

/**
 * The numbers of rows name them then: whoever has the file finds them by these, and what is made of
 * a key can be tried out.
 */
export function hidesKeys({ isShared, definition }: Page): boolean {
  return isShared || definition?.report.keys === 'hidden';
}

export function keyShown(key: string, page: Page): string {
  return hidesKeys(page) ? '' : cut(key, KEY_BYTES);
}

/** Words about a row or a cause. */
export function wordsShown(words: string, page: Page): string {
  return hidesKeys(page) ? withoutKeys(words) : words;
}

/** The columns whose cells are shown. */
export function columnsShown({ isShared, definition }: Page): readonly string[] {
  return isShared ? [] : (definition?.report.show ?? []);
}
