/** `onboard doctor`: all that a run stands on, and what is wrong with it; what is looked at stands in check/doctor.ts. */
import { examine } from '../check/doctor.js';
import { countOf, say } from '../lib/terminal.js';
import { EXIT } from '../model/exit.js';
export const addDoctorCommand = (program, io, done) => {
    program
        .command('doctor')
        .description('Say what is wrong with Redis, service, credentials and folders, and how to correct it')
        .option('--json', 'print the findings as JSON')
        .addHelpText('after', EXAMPLE)
        .action(async (flags) => {
        const findings = await examine(io);
        if (flags.json === true)
            say(io, JSON.stringify(findings));
        else
            for (const line of renderFindings(findings))
                say(io, line);
        done(findings.some(({ status }) => status === 'problem') ? EXIT.notStarted : 0);
    });
};
/** A line for each finding, what to do below it, and the sum at the end. */
export function renderFindings(findings) {
    const lines = findings.flatMap(({ check, status, finding, advice }) => [
        `${status.padEnd(7)}  ${check}: ${finding}`,
        ...(advice === null ? [] : [`         → ${advice}`]),
    ]);
    return [...lines, '', sumOf(findings)];
}
function sumOf(findings) {
    const problems = findings.filter(({ status }) => status === 'problem').length;
    const warnings = findings.filter(({ status }) => status === 'warning').length;
    if (problems > 0)
        return `${countOf(problems, 'problem')}, ${countOf(warnings, 'warning')}: correct the problems before a run.`;
    return warnings === 0 ? 'All is well.' : `No problem, ${countOf(warnings, 'warning')}.`;
}
const EXAMPLE = `
Example:
  onboard doctor

Nothing is asked of the service: a connection is opened and closed. Exit status: 0, or 3 where there is a problem.`;
//# sourceMappingURL=doctor.js.map