import type { CheckCode } from '../../model/issue.ts';
import type { RowContext } from '../row-context.ts';

/** Looks for one kind of damage in a cell; what it says holds no cell values. */
export type CellCheck = {
  readonly code: CheckCode;
  /** What was expected and what probably happened, `null` where nothing looks damaged; `text` is never empty. */
  find(text: string, context: RowContext): string | null;
};

/** The text beside a cell, in another field of the same object; empty where there is none. */
export type BesideOf = (context: RowContext) => string;
