import { UsageError } from '../lib/usage-error.ts';

/** What one check of the doctor found; `advice` says what to do where something is wrong. */
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

/** Every problem of an error as a finding of the check; its text is for people and has no secret in it. */
export function problemsOf(check: string, error: unknown, advice: string): Finding[] {
  if (error instanceof UsageError) return error.problems.map((text) => problem(check, text, advice));
  return [problem(check, error instanceof Error ? error.message : String(error), advice)];
}

/** A line for each finding, what to do below it, and the sum at the end. */
export function renderFindings(findings: readonly Finding[]): string[] {
  const lines = findings.flatMap(({ check, status, finding, advice }) => [
    `${status.padEnd(7)}  ${check}: ${finding}`,
    ...(advice === null ? [] : [`         → ${advice}`]),
  ]);
  return [...lines, '', sumOf(findings)];
}

function sumOf(findings: readonly Finding[]): string {
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  if (problems > 0)
    return `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}: mend the problems before a run.`;
  return warnings === 0 ? 'All is well.' : `No problem, ${counted(warnings, 'warning')}.`;
}

/** `1 job`, `2 jobs`. */
export function counted(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
