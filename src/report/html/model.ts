/** What report.html is made of, and what it may show: what its sections are given, each of them. */
import type { JobDefinition } from '../../config/job-definition.ts';
import { cut, masked, withoutKeys } from '../../lib/html-text.tsx';
import type { Digest } from '../../model/digest.ts';
import type { History } from '../../model/history.ts';
import type { Notes } from '../../model/note.ts';
import type { Summary } from '../summary.ts';

export type Page = {
  readonly summary: Summary;
  readonly digest: Digest;
  readonly history: History;
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
  /** Keys masked, no folders, no target, no cells. */
  readonly isShared: boolean;
};

const KEY_BYTES = 120;

function areKeysMasked({ isShared, definition }: Page): boolean {
  return isShared || definition?.report.keys === 'masked';
}

export function keyShown(key: string, page: Page): string {
  return cut(areKeysMasked(page) ? masked(key) : key, KEY_BYTES);
}

/** Words about a row or a cause. */
export function wordsShown(words: string, page: Page): string {
  return areKeysMasked(page) ? withoutKeys(words) : words;
}

/** The columns whose cells are shown. */
export function columnsShown({ isShared, definition }: Page): readonly string[] {
  return isShared ? [] : (definition?.report.show ?? []);
}
