/** `onboard doctor`: what is wrong with all that a run stands on (check/doctor.ts). */
import { InvalidArgumentError } from 'commander';
import { examine } from '../check/doctor.ts';
import type { Finding } from '../check/doctor-finding.ts';
import { parsePathTemplate } from '../lib/path-template.ts';
import { countOf, hasSigns, say, sayJson } from '../lib/terminal.ts';
import { EXIT } from '../model/exit.ts';
import type { AddCommand } from './command.ts';

export const addDoctorCommand: AddCommand = (program, io, done) => {
  program
    .command('doctor')
    .description('Check Redis, service, credentials, folders and jobs, and say how to fix what is wrong')
    .option(
      '--call <path>',
      'a GET that changes nothing, to try the token with: its path below MSB_BASE_URL',
      callPath,
    )
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLE)
    .action(async (flags: { readonly call?: string; readonly json?: boolean }) => {
      const findings = await examine(io, flags.call ?? null);
      if (flags.json === true) sayJson(io, JSON.stringify(findings));
      else say(io, ...renderFindings(findings, hasSigns(io)));
      done(findings.some(({ status }) => status === 'problem') ? EXIT.notStarted : 0);
    });
};

const QUERY = /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;

/** The path of a call, and what may follow a `?`; nothing in it can lead to another address. */
function callPath(text: string): string {
  if (!text.startsWith('/')) {
    throw new InvalidArgumentError('expected the path alone, below MSB_BASE_URL and beginning with /.');
  }
  const at = text.indexOf('?');
  const path = parsePathTemplate(at < 0 ? text : text.slice(0, at));
  if (typeof path === 'string') throw new InvalidArgumentError(`expected ${path}.`);
  const isPlain = path.every((part) => 'text' in part);
  if (isPlain && (at < 0 || QUERY.test(text.slice(at + 1)))) return text;
  throw new InvalidArgumentError('expected a path as it is sent: without columns, and percent-encoded.');
}

const SIGNS: Readonly<Record<Finding['status'], string>> = { ok: '✓', warning: '!', problem: '✗' };

/** A line for each finding, what to do below it, and the sum at the end; `signs`: each begins with one. */
function renderFindings(findings: readonly Finding[], signs: boolean): string[] {
  const lines = findings.flatMap(({ check, status, finding, advice }) => [
    `${signs ? SIGNS[status] : status.padEnd(7)}  ${check}: ${finding}`,
    ...(advice === null ? [] : [`${signs ? '' : ' '.repeat(6)}   → ${advice}`]),
  ]);
  return [...lines, '', sumOf(findings)];
}

function sumOf(findings: readonly Finding[]): string {
  const problems = findings.filter(({ status }) => status === 'problem').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  if (problems > 0)
    return `${countOf(problems, 'problem')}, ${countOf(warnings, 'warning')}: correct the problems before a run.`;
  return warnings === 0 ? 'All is well.' : `No problem, ${countOf(warnings, 'warning')}.`;
}

const EXAMPLE = `
Examples:
  onboard doctor
  onboard doctor --call <path of a GET that your service has>

Nothing is asked of the service: a connection is opened and closed. Only with --call, one GET is sent with the token, to
that path below MSB_BASE_URL; of the answer nothing is shown but its status. Exit status: 0, or 3 where there is a
problem.`;
