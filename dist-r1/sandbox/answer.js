/** Answers of the sandbox, whole or broken, and the JSON objects that they are made of. */
import { namesOf } from '../lib/json-pointer.js';
const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };
const NO_HEADERS = {};
/** A response with a JSON body. */
export function jsonAnswer(status, value) {
    return { kind: 'response', status, headers: JSON_HEADERS, body: JSON.stringify(value) };
}
/** A response with no body, the way a gateway in front of the service answers. */
export function bareAnswer(status, headers = NO_HEADERS) {
    return { kind: 'response', status, headers, body: '' };
}
/** A refusal in words. The shape of error bodies is not shown in service-api.md: this one is the sandbox's own. */
export function errorAnswer(status, error) {
    return jsonAnswer(status, { error });
}
/** How the answer is counted in the statistics: its status, or what was done instead of one. */
export function labelOf(answer) {
    return answer.kind === 'response' ? String(answer.status) : answer.kind;
}
/** Whether the value is a JSON object: neither null nor an array. */
export function isObject(value) {
    return typeof value === 'object' && value !== null && !Array.isArray(value);
}
/** The object itself, or an empty one where the value is none. */
export function objectOf(value) {
    return isObject(value) ? value : {};
}
/** Reads the first of the JSON pointers (RFC 6901, through objects only) that leads to text that isn't empty, else `null`. */
export function textReader(pointers) {
    const paths = pointers.map((pointer) => namesOf(pointer));
    return (value) => {
        for (const path of paths) {
            const found = textAt(value, path);
            if (found !== null)
                return found;
        }
        return null;
    };
}
function textAt(value, path) {
    let at = value;
    for (const step of path) {
        if (!isObject(at) || !Object.hasOwn(at, step))
            return null;
        at = at[step];
    }
    return typeof at === 'string' && at !== '' ? at : null;
}
/** The sent object laid over the known one: objects member by member, all else (lists, null) as sent. */
export function merge(known, sent) {
    const merged = new Map(Object.entries(known));
    for (const [name, value] of Object.entries(sent)) {
        const before = merged.get(name);
        merged.set(name, isObject(before) && isObject(value) ? merge(before, value) : value);
    }
    // fromEntries defines own members, so a member called __proto__ stays a member.
    return Object.fromEntries(merged);
}
/** The value without its null members, at any depth: `null` is how a caller empties a field, whatever its type. */
export function withoutNulls(value) {
    if (Array.isArray(value))
        return value.map(withoutNulls);
    if (!isObject(value))
        return value;
    const kept = Object.entries(value).filter(([, member]) => member !== null);
    return Object.fromEntries(kept.map(([name, member]) => [name, withoutNulls(member)]));
}
//# sourceMappingURL=answer.js.map