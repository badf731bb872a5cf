/**
 * What the page needs of the program: plain data to show, and the one way to have something done. Each part is described where it is
 * shown; `page/` makes them of ledger, report and folders.
 */

import type { Ask, AskAnswer, Visitor } from '../model/ask.ts';
import type { FilesPart } from './files.tsx';
import type { JobsPart } from './jobs.tsx';
import type { MappingPart } from './mapping.tsx';

/** What stands on every page. */
export type Standing = {
  /** `sandbox`, or the service's base URL. */
  readonly target: string;
  /** How the service is doing, in few words, and whether that is good. */
  readonly service: { readonly words: string; readonly isWell: boolean };
  readonly version: string;
};

export type Page = FilesPart &
  MappingPart &
  JobsPart & {
    standing(): Promise<Standing>;
    /** `null`: the page stands alone and can't have anything done; `why` tells visitors so. */
    readonly ask: ((ask: Ask, visitor: Visitor) => Promise<AskAnswer>) | null;
  };
