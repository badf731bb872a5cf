/** A finding of the doctor, and how one is made. */
import { messageOf } from '../lib/errors.ts';
import { UsageError } from '../lib/usage-error.ts';

/** What one check found; `advice` says what to do where something is wrong. */
export type Finding = {
  readonly check: string;
  /** `problem`: it keeps rows from being sent. */
  readonly status: 'ok' | 'warning' | 'problem';
  readonly finding: string;
  readonly advice: string | null;
};

export function ok(check: string, finding: string): Finding {
  return { check, status: 'ok', finding, advice: null };
}

export function warning(check: string, finding: string, advice: string): Finding {
  return { check, status: 'warning', finding, advice };
}

export function problem(check: string, finding: string, advice: string): Finding {
  return { check, status: 'problem', finding, advice };
}

/** The problems that an error names; messages of errors hold no secret. */
export function problemsOf(check: string, error: unknown, advice: string): Finding[] {
  if (error instanceof UsageError) return error.problems.map((text) => problem(check, text, advice));
  return [problem(check, messageOf(error), advice)];
}
