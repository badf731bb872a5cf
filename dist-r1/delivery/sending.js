/**
 * A row on its way: what one take of its chunk knows of the attempts so far, the intent of the next one, and what one attempt can come to.
 */
import { intentMark } from '../ledger/mark.js';
import { fieldsUnderWay } from '../ledger/settle-entry.js';
import { IDENTITY, REPEATABLE } from '../model/operation.js';
/** Whether nothing has come between: the process or the run ends, the window is closed, or the chunk may be another worker's. */
export function maySend(sending, context) {
    return !context.stopping.aborted && context.isOpen() && sending.isHeld();
}
/** The intent of the row's next attempt. */
export function intentOf({ task, taker, made, withdrawn, expected, request, fields }, { definition }) {
    const { chunk, row, identityKey: key } = task;
    const space = task.claim.kind === 'claimed' ? IDENTITY[task.run.operation] : null;
    return {
        chunk,
        row: row.row,
        mark: intentMark(taker, row.row, made + withdrawn + 1),
        expected,
        identity: space === null || key === null ? null : { space, key },
        fields: fields === null ? null : { ...fields, own: fieldsUnderWay(taker) },
        repeatable: isRepeatable(request.call, definition),
    };
}
/** Whether a row is sent although a lost worker may have sent it. */
export function isRepeatable(call, { onUnknownOutcome }) {
    return REPEATABLE[call] || onUnknownOutcome === 'retry';
}
//# sourceMappingURL=sending.js.map