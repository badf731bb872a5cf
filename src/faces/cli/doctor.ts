/** `onboard doctor`: what is wrong with all that a run stands on. */

import { countOf, hasSigns, say, sayJson } from '../../lib/terminal.ts';
import { EXIT } from '../../model/exit.ts';
import { examine, type Finding } from '../../runs/check/doctor.ts';
import type { AddCommand } from './command.ts';

export const addDoctorCommand: AddCommand = (program, io, done) => {
  program
    .command('doctor')
    .description('Check Redis, service, credentials, folders and jobs, and say how to fix what is wrong')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: { readonly json?: boolean }) => {
      const findings = await examine(io);
      if (flags.json === true) sayJson(io, JSON.stringify(findings));
      else say(io, ...renderFindings(findings, hasSigns(io)));
      done(findings.some(({ status }) => status === 'problem') ? EXIT.notStarted : 0);
    });
};

const SIGNS: Readonly<Record<Finding['status'], string>> = { ok: '✓', warning: '!', problem: '✗' };

/** `signs`: a line begins with a sign in the place of a word. */
function renderFindings(findings: readonly Finding[], signs: boolean): string[] {
  const lines: string[] = [];
  for (const { check, status, finding, advice } of findings) {
    const sign = signs ? SIGNS[status] : status.padEnd(7);
    const indent = ' '.repeat(signs ? 3 : 9);
    lines.push(`${sign}  ${check}: ${finding}`);
    if (advice !== null) lines.push(`${indent}→ ${advice}`);
  }
  return [...lines, '', sumOf(findings)];
}

function sumOf(findings: readonly Finding[]): string {
  const count = (wanted: Finding['status']) => findings.filter(({ status }) => status === wanted).length;
  const problems = count('problem');
  const warnings = count('warning');
  const warned = countOf(warnings, 'warning');
  if (problems > 0) return `${countOf(problems, 'problem')}, ${warned}: correct the problems before a run.`;
  return warnings === 0 ? 'All is well.' : `No problem, ${warned}.`;
}

const EXAMPLE = `
Example:
  onboard doctor

Nothing is asked of the service: a connection is opened and closed. Exit status: 0, or 3 where there is a problem.`;
