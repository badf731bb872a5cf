/**
 * What a header that is no field's path probably means: the field's name without case, spaces and punctuation, or one of
 * its usual business names. A proposal takes the meaning up with a note where it is doubtful; a message only suggests it.
 */
import { nearest } from '../../lib/did-you-mean.js';
import { foldName, withPositions } from '../request-field.js';
import { aliasesFor, doubtfulAliasesFor, PARENT_KEYS } from './aliases.js';
/** Prepares recognising headers: fields without case, spaces and punctuation first, then their usual business names. */
export function createFindMeaning(operation, catalog, pathField) {
    const fields = [...(pathField === null ? [] : [pathField]), ...catalog.keys()];
    const spellings = fields.map((field) => ({ field, shape: shapeOf(field) }));
    const meanings = meaningsOf(operation, fields);
    const doubtful = new Map(doubtfulMeanings(operation));
    return (header) => {
        const loose = looseName(header);
        if (loose === '')
            return null;
        return (doubtful.get(loose) ?? spelled(spellings, loose) ?? meanings.get(loose) ?? numbered(loose, meanings));
    };
}
function meaningsOf(operation, fields) {
    return new Map([
        ...ownNames(fields),
        ...aliasesFor(operation).flatMap(([field, names]) => names.map((name) => [looseName(name), { field, note: null, isReference: false }])),
        ...(fields.includes('parent.id') ? PARENT_KEYS : []).map((name) => [looseName(name), PARENT]),
    ]);
}
function doubtfulMeanings(operation) {
    return Object.entries(doubtfulAliasesFor(operation)).map(([name, { field, note }]) => [looseName(name), { field, note, isReference: false }]);
}
const PARENT = {
    field: 'parent.id',
    note: 'taken for the key of a subclient that this program creates; without "ref" the cell itself is sent',
    isReference: true,
};
/** Fields by the last part of their path, where only one field has that name: `tradeRegistryId`. */
function ownNames(fields) {
    const names = fields.filter(isPlain).map((field) => [looseName(lastPart(field)), field]);
    return names
        .filter(([name]) => names.filter(([other]) => other === name).length === 1)
        .map(([name, field]) => [name, { field: withPositions(field, []), note: null, isReference: false }]);
}
/** Whether a header can mean the field by a bare name: not where it is in a list inside a list, or set by the service itself. */
function isPlain(field) {
    return (field.split('#').length <= 2 &&
        !/\.(?:networks|controls|verificationResponses)\.|^(?:payable|linkedDocuments)\./.test(field));
}
/** The meaning of a name with a number: `IBAN 2` is the second account's. */
function numbered(loose, meanings) {
    const [, name = '', number = ''] = /^(.*\D)([1-9])$/.exec(loose) ?? [];
    const meaning = meanings.get(name);
    if (meaning === undefined || !meaning.field.startsWith('accounts.0.'))
        return null;
    return { ...meaning, field: meaning.field.replace('.0.', `.${Number(number) - 1}.`) };
}
function spelled(spellings, loose) {
    for (const { field, shape } of spellings) {
        const match = shape.exec(loose);
        if (match === null)
            continue;
        const positions = match.slice(1).map((digits) => String(Number(digits)));
        return { field: withPositions(field, positions), note: null, isReference: false };
    }
    return null;
}
/** Matches the whole path without its punctuation, positions in their places: `accounts_0_iban`. */
function shapeOf(field) {
    return new RegExp(`^${field.split('#').map(looseName).join('(\\d{1,2})')}$`);
}
function lastPart(field) {
    return field.slice(field.lastIndexOf('.') + 1);
}
/** Finding what a name means takes a look at every field: beyond so many problems nobody asks for it. */
const MOST_SUGGESTED = 20;
const LONGEST_NAME = 100;
/**
 * ` Did you mean "accounts.3.iban"?` for a path or a header that is no field, or nothing.
 * A header that names a field as businesses do (`Sort code`), or only its last part (`IBAN`), is recognised too. Of a file
 * with many unknown columns only the first ones get a suggestion.
 */
export function suggestField(written, options) {
    const { catalog, pathField, problems } = options;
    if (problems.length >= MOST_SUGGESTED || written.length > LONGEST_NAME)
        return '';
    const positions = written.match(/(?<=[.[])\d{1,2}(?=[\].]|$)/g) ?? [];
    const paths = [...(pathField === null ? [] : [pathField]), ...catalog.keys()];
    const fields = paths.map((path) => withPositions(path, positions));
    const found = byMeaning(written, options) ??
        exactLastPart(written, fields) ??
        nearest(written, fields, mostWrong(written)) ??
        nearestLastPart(written, fields);
    return found === null ? '' : ` Did you mean "${found}"?`;
}
function byMeaning(written, { definition, catalog, pathField }) {
    const meaning = createFindMeaning(definition.operation, catalog, pathField)(written);
    if (meaning === null || meaning.isReference)
        return null;
    const isField = catalog.has(meaning.field.replaceAll(/\.\d+(?=\.|$)/g, '.#'));
    return isField || meaning.field === pathField ? meaning.field : null;
}
/** Few changes make another word of a bare name, so that fewer are allowed: rather no suggestion than a wrong one. */
function mostWrong(written) {
    return /[.[]/.test(written) ? undefined : fewSigns;
}
function fewSigns(length) {
    return Math.max(1, Math.floor(length / 6));
}
function exactLastPart(written, fields) {
    const wanted = fold(written);
    return fields.find((field) => fold(lastPart(field)) === wanted) ?? null;
}
function nearestLastPart(written, fields) {
    const part = nearest(written, fields.map(lastPart), mostWrong(written));
    return fields.find((field) => lastPart(field) === part) ?? null;
}
function fold(text) {
    return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
/** A name without case, spaces and punctuation: `Post-Code` and `post code` are the same. */
export function looseName(name) {
    return foldName(name).replaceAll(/[^\p{L}\p{N}]+/gu, '');
}
//# sourceMappingURL=meaning.js.map