/**
 * What every view of the page is given: what stands above all of them, and the one way to have something done. What a view needs beside it
 * is its own part, described where it is shown; `page/` makes the parts of ledger, report and folders.
 */
import type { Ask, AskAnswer, Visitor } from '../model/ask.ts';

/** What stands on every page. */
export type Standing = {
  /** `sandbox`, or the service's base URL. */
  readonly target: string;
  /** How the service is doing, in few words, and whether that is good. */
  readonly service: { readonly words: string; readonly isWell: boolean };
  readonly version: string;
};

export type Core = {
  standing(): Promise<Standing>;
  /** `null`: the page stands alone and can't have anything done; `why` tells visitors so. */
  readonly ask: ((ask: Ask, visitor: Visitor) => Promise<AskAnswer>) | null;
};
