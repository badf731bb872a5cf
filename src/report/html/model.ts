/** What report.html is made of. */
import type { JobDefinition } from '../../config/job-definition.ts';
import type { Notes } from '../../model/note.ts';
import type { Happening } from '../../model/story.ts';
import type { Digest } from '../digest.ts';
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
