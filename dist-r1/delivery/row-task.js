/**
 * A row in a worker's hands and its end: what a final verdict, or attempts that are used up, make of it, and all that is to be recorded of
 * it. After an attempt whose outcome is not known (`onUnknownOutcome: retry`), only an acceptance is believed: all else is in doubt.
 */
import { IDENTITY } from '../model/operation.js';
import { KEY_AFTER, REMAINDER } from '../model/outcome.js';
import { packBody, warningWord } from '../model/settlement.js';
/**
 * The row's end as the ledger records it: only rows that did not succeed keep their source record.
 * `mark` is the intent that stands on the row for the one who settles it.
 */
export function settledRow(task, end, mark = task.foundMark) {
    const { row } = task;
    return {
        chunk: task.chunk,
        settlement: {
            row: row.row,
            line: row.line,
            key: task.key,
            outcome: end.outcome,
            status: end.status ?? 0,
            id: end.id ?? '',
            attempts: end.attempts ?? 0,
            ms: Math.round(end.ms ?? 0),
            code: end.code ?? '',
            message: end.message ?? '',
            warnings: end.warnings === undefined ? '' : warningWords(end.warnings),
        },
        identity: identityChange(task, end),
        fields: end.fields ?? null,
        source: isKept(row, end.outcome) ? JSON.stringify(row) : '',
        body: packBody({ text: end.body ?? '', restBytes: end.restBytes ?? 0 }),
        documents: end.documents ?? '',
        mark,
        lead: null,
    };
}
function warningWords(warnings) {
    return warnings.map(({ code, column }) => warningWord(code, column)).join(' ');
}
function isKept({ line }, outcome) {
    // A row on no line was made up: its file was gone.
    return line > 0 && (REMAINDER[outcome] !== 'none' || outcome === 'cancelled');
}
/** The change of the row's own key; `null` where the row has none of its own. */
function identityChange(task, end) {
    const space = IDENTITY[task.run.operation];
    if (space === null || task.identityKey === null || task.claim.kind !== 'claimed')
        return null;
    const becomes = KEY_AFTER[end.outcome];
    return { space, key: task.identityKey, becomes, id: becomes === 'known' ? (end.id ?? '') : '' };
}
/** What a final verdict makes of the row. `everUnknown`: an earlier attempt may have created it (`onUnknownOutcome: retry`). */
export function endOf(verdict, everUnknown) {
    switch (verdict.kind) {
        case 'accepted':
            return acceptedEnd(verdict);
        case 'refused': {
            const { status, code, message, body, restBytes } = verdict;
            const outcome = everUnknown ? 'in-doubt' : verdict.outcome;
            const end = { outcome, status, code, message, body };
            return restBytes === undefined ? end : { ...end, restBytes };
        }
        case 'unknown': {
            const { status, code, message, givenId = '' } = verdict;
            const whole = givenId === '' ? message : `${message} It gave ${JSON.stringify(givenId)}.`;
            return { outcome: 'in-doubt', status: status ?? 0, code, message: whole };
        }
        default:
            return verdict;
    }
}
/** The end of a row that the service accepted: at which attempt, and how long that took (ms). */
export function acceptedEnd({ outcome, status, id, warning, documents }, attempts = 0, ms = 0) {
    return {
        outcome,
        status,
        id: id ?? '',
        attempts,
        ms,
        code: warning === null ? '' : 'warning',
        message: warning ?? '',
        documents: documents ?? '',
    };
}
/** The end of a row whose attempts are used up. */
export function gaveUp(verdict, made, everUnknown) {
    return {
        outcome: everUnknown ? 'in-doubt' : 'failed',
        status: verdict.status ?? 0,
        code: verdict.code,
        message: `gave up after ${made} attempts: ${verdict.message}`,
    };
}
//# sourceMappingURL=row-task.js.map