import { formatFieldPath, parseFieldPath, } from '../request-field.js';
import { looseName } from './meaning.js';
import { chooseNotation, notesOf, ONE_WAY } from './notations.js';
const NOT_PLACED = 'no field was found for it';
/** Places every column once: headers that are fields first, and no second column in a field. */
export function placeColumns(means) {
    const claim = createClaims();
    const columns = means.columns.map((column, slot) => ({ column, slot }));
    const own = columns.map((at) => claim(itself(at, means)));
    return columns.map((at, i) => own[i] ?? claim(byMeaning(at, means)) ?? open(at, NOT_PLACED));
}
function itself(at, means) {
    if (!isAlone(at.column, means.columns))
        return open(at, 'the file has more than one column of this name');
    const path = parseFieldPath(at.column);
    if (typeof path === 'string')
        return null;
    const known = means.lookUp(path);
    const fits = known.kind === 'leaf' || (known.kind !== 'unknown' && !means.isTable);
    return fits ? { kind: 'itself', ...at, field: formatFieldPath(path), known } : null;
}
function byMeaning(at, { findMeaning, lookUp }) {
    const lastPart = at.column.slice(at.column.lastIndexOf('.') + 1);
    const meaning = findMeaning(at.column) ?? findMeaning(lastPart);
    return meaning === null || leafType(meaning.field, lookUp) === null
        ? null
        : { kind: 'field', ...at, ...meaning };
}
/** Gives a field to the first column; a later column for it, for what is in it or for what it is in is left open. */
function createClaims() {
    const taken = [];
    return (placement) => {
        if (placement === null || placement.kind === 'open')
            return placement;
        // Objects, lists and members of JSON records are columns beside the columns of their contents.
        if (placement.kind === 'itself' && placement.known.kind !== 'leaf')
            return placement;
        const { field } = placement;
        const isTaken = taken.some((other) => isWithin(field, other) || isWithin(other, field));
        if (isTaken)
            return open(placement, `another column fills ${field} already`);
        taken.push(field);
        return placement;
    };
}
function isWithin(field, other) {
    return `${field}.`.startsWith(`${other}.`);
}
function isAlone(column, columns) {
    return columns.indexOf(column) === columns.lastIndexOf(column);
}
function open({ column, slot }, reason) {
    return { kind: 'open', column, slot, reason };
}
/** The field that the key column fills: the CRM id of a new subclient, or the identifier in the path. */
export function keyField(operation, key, pathField) {
    switch (operation) {
        case 'subclient.create':
        case 'subclient.upsert':
            return { field: 'additionalInformation.crmId', note: SENT_AS_CRM_ID, isReference: false };
        case 'subclient.update':
        case 'payment.documents': {
            if (pathField === null)
                return null;
            const isNamed = looseName(key).endsWith(looseName(pathField));
            return { field: pathField, note: isNamed ? null : OWN_IDENTIFIER, isReference: false };
        }
        case 'counterparty.draft':
            return null;
        default:
            return operation;
    }
}
const SENT_AS_CRM_ID = 'the key goes with the record as its CRM id';
const OWN_IDENTIFIER = 'the path needs the identifier that the service gave: make sure that this column has it';
/** The line for a column; `null` where the header is the field and the field's own conversion reads the cells. */
export function proposeField(placement, values, lookUp) {
    if (placement.kind === 'open')
        return null;
    const { column, field } = placement;
    const meant = placement.kind === 'field' && placement.note !== null ? [placement.note] : [];
    if (placement.kind === 'field' && placement.isReference) {
        return { field, column, notation: { ref: 'subclient' }, notes: meant, isDecided: true };
    }
    const type = leafType(field, lookUp);
    const chosen = type === null ? PLAIN : chooseNotation(type, values);
    if (placement.kind === 'itself' && isPlain(chosen))
        return null;
    return { field, column, ...decide(chosen, type), notes: [...meant, ...notesOf(chosen, type)] };
}
const PLAIN = { kind: 'notation', notation: {}, misfits: 0 };
function isPlain(chosen) {
    return chosen.kind === 'notation' && Object.keys(chosen.notation).length === 0;
}
/** The type of the field; `null` where no cell could fill it. */
function leafType(field, lookUp) {
    const path = parseFieldPath(field);
    const known = typeof path === 'string' ? null : lookUp(path);
    return known?.kind === 'leaf' ? known.type : null;
}
/** Text is read in one way, so that a misfit only spoils its row; dates or numbers that can't be read leave the column undecided. */
function decide(chosen, type) {
    if (chosen.kind === 'notation')
        return { notation: chosen.notation, isDecided: true };
    if (chosen.kind === 'several')
        return { notation: chosen.notations[0] ?? {}, isDecided: false };
    return { notation: {}, isDecided: type === null || ONE_WAY.has(type) };
}
//# sourceMappingURL=propose-fields.js.map