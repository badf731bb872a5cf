/**
 * A row's outcome on its way to the script EXCHANGE and into the journal: an array by position, since hundreds travel in one command and
 * names would cost more than the rest. Here alone stands which position means what, on this side; lua/rows.ts has the other.
 */
import { groupAdjacent } from '../lib/batches.js';
import { wasAccepted } from '../model/outcome.js';
import { fieldsPlace, identityPlace } from './keys.js';
import { settledMark, sharedMark } from './mark.js';
/** What stands for the digests of a record's fields while a take of its row has an update under way. */
export function fieldsUnderWay(taker) {
    return `~${taker}`;
}
/** Whether the digests say what the service has. */
export function areFieldsKnown(fields) {
    return fields !== '' && !fields.startsWith('~');
}
const IDENTITY_LETTER = { known: 'k', 'in-doubt': 'd', 'given-back': 'x' };
export function settleEntry(keys, row) {
    const entry = plainEntry(keys, row);
    return row.fields === null ? entry : [...entry, ...fieldsOf(keys, row.fields)];
}
function plainEntry(keys, row) {
    const { settlement, identity } = row;
    const place = identity === null ? null : identityPlace(keys, identity);
    return [
        row.chunk,
        settlement.row,
        settlement.outcome,
        settledMark(settlement),
        place?.bucket ?? '',
        place?.digest ?? '',
        identity === null ? '' : IDENTITY_LETTER[identity.becomes],
        // Redis' JSON refuses half a surrogate pair, and with it the whole batch.
        (identity?.id ?? '').toWellFormed(),
        row.source,
        row.body,
        row.documents,
        row.mark,
        wasAccepted(settlement.outcome) ? 1 : 0,
        wasAnswered(settlement) ? 1 : 0,
        row.lead ?? 0,
    ];
}
function fieldsOf(keys, change) {
    const { bucket, digest } = fieldsPlace(keys, change);
    return [bucket, digest, change.before, change.after];
}
/** Whether the row ended with a definite answer of the service, a sign that it is well. */
function wasAnswered({ outcome, status }) {
    if (wasAccepted(outcome) || outcome === 'rejected' || outcome === 'denied')
        return true;
    // A redirect too: whoever answers so is there.
    return outcome === 'failed' && status >= 300 && status < 500 && status !== 429;
}
/** Whether the row's settler has sent nothing of it, and says how it ended nevertheless. */
export function isUnsent(entry) {
    return entry[MARK] === '' && entry[OUTCOME] !== 'in-doubt';
}
/** The row with its settlement as its chunk's block will have it. */
export function recordedRow(entry) {
    return { chunk: entry[CHUNK], row: entry[ROW], mark: entry[SETTLEMENT] };
}
/** The entry of a journal as one that says nothing to the breaker of now, whatever the service answered then. */
export function answeredLongAgo(entry) {
    return Array.isArray(entry) ? entry.with(ANSWERED, 0) : entry;
}
/**
 * ARGV of the script EXCHANGE for what ended, and the entries in the order in which it counts them. `isFirst`: none of them was sent
 * before, in a command that may have been carried out; those are told one by one, and looked at.
 */
export function settleArguments(entries, isFirst) {
    const plain = [];
    const others = [];
    for (const entry of entries) {
        if (isFirst && isPlain(entry))
            plain.push({ entry, shared: sharedMark(entry[MARK], entry[ROW]) });
        else
            others.push(entry);
    }
    const args = [JSON.stringify(others)];
    for (const group of groupAdjacent(plain, areOfOneTake)) {
        const { entry: first, shared } = group[0];
        const settlements = `[${group.map(({ entry }) => entry[SETTLEMENT]).join(',')}]`;
        args.push(first[CHUNK], shared.text, shared.isNumbered, first[OUTCOME], settlements, group.length);
        for (const { entry } of group)
            args.push(entry[ROW], entry[BUCKET], entry[DIGEST], entry[ID]);
    }
    return { args, order: [...plain.map(({ entry }) => entry), ...others] };
}
// By index: to take a row's entry apart by a pattern costs several times as much.
const CHUNK = 0;
const ROW = 1;
const OUTCOME = 2;
const SETTLEMENT = 3;
const BUCKET = 4;
const DIGEST = 5;
const BECOMES = 6;
const ID = 7;
const SOURCE = 8;
const BODY = 9;
const DOCUMENTS = 10;
const MARK = 11;
const ACCEPTED = 12;
const ANSWERED = 13;
const LEAD = 14;
const LENGTH_WITHOUT_FIELDS = 15;
/** Whether the service accepted the row under an intent, and nothing is kept of it but its settlement and its key's identity. */
function isPlain(entry) {
    if (entry[MARK] === '' || entry[ACCEPTED] !== 1 || entry[ANSWERED] !== 1)
        return false;
    if (entry[BUCKET] !== '' && entry[BECOMES] !== 'k')
        return false;
    const isAlone = entry[LEAD] === 0 && entry.length === LENGTH_WITHOUT_FIELDS;
    return isAlone && entry[SOURCE] === '' && entry[BODY] === '' && entry[DOCUMENTS] === '';
}
function areOfOneTake({ entry: a, shared: x }, { entry: b, shared: y }) {
    const isOneMark = x.text === y.text && x.isNumbered === y.isNumbered;
    return isOneMark && a[CHUNK] === b[CHUNK] && a[OUTCOME] === b[OUTCOME];
}
//# sourceMappingURL=settle-entry.js.map