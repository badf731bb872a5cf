import type { ReadingChoice } from '../../../model/source.ts';

/** Why a workbook can't be read as a whole, and by which choice it could be. */
export class WorkbookError extends Error {
  override readonly name = 'WorkbookError';
  readonly choices: readonly ReadingChoice[];

  constructor(problem: string, options?: ErrorOptions, choices: readonly ReadingChoice[] = []) {
    super(problem, options);
    this.choices = choices;
  }
}

export function damaged(what: string, cause?: unknown): WorkbookError {
  return new WorkbookError(
    `is a damaged workbook (${what}): expected a whole .xlsx file; ` +
      'open it in Excel and save it again, or save it as CSV UTF-8',
    { cause },
  );
}

export function tooLarge(what: string): WorkbookError {
  return new WorkbookError(
    `is too large for a workbook (${what}): split it, or save the sheet as CSV UTF-8, which may be of any size`,
  );
}
