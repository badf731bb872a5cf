/** A finding of the doctor, and how one is made. */
import { messageOf } from '../lib/errors.js';
import { UsageError } from '../lib/usage-error.js';
export function ok(check, finding) {
    return { check, status: 'ok', finding, advice: null };
}
export function warning(check, finding, advice) {
    return { check, status: 'warning', finding, advice };
}
export function problem(check, finding, advice) {
    return { check, status: 'problem', finding, advice };
}
/** The problems that an error names, each as a finding of the check; messages of errors hold no secret. */
export function problemsOf(check, error, advice) {
    if (error instanceof UsageError)
        return error.problems.map((text) => problem(check, text, advice));
    return [problem(check, messageOf(error), advice)];
}
//# sourceMappingURL=doctor-finding.js.map