/** JSON pointers (RFC 6901), by which job definitions name places in JSON. */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const INDEX = /^(?:0|[1-9]\d*)$/;
/** Whether the text is a JSON pointer (RFC 6901, 3): `''`, or names that each follow a `/`. */
export function isJsonPointer(text) {
    return POINTER.test(text);
}
/** The value that a JSON pointer leads to (RFC 6901, 4), `undefined` where there is none. */
export function valueAtPointer(value, pointer) {
    return namesOf(pointer).reduce(step, value);
}
/** The names that a JSON pointer goes through, without escapes. */
export function namesOf(pointer) {
    const names = pointer.split('/').slice(1);
    // `~1` is replaced first: `~01` spells `~1`, and replaced the other way round it would become a slash.
    return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}
function step(value, name) {
    if (Array.isArray(value))
        return INDEX.test(name) ? value[Number(name)] : undefined;
    if (typeof value !== 'object' || value === null)
        return undefined;
    return Object.getOwnPropertyDescriptor(value, name)?.value;
}
//# sourceMappingURL=json-pointer.js.map