/** The object that a record's text holds, `null` where it holds none. */
export function parseRecord(text) {
    try {
        const value = JSON.parse(text);
        return isJsonObject(value) ? value : null;
    }
    catch {
        return null;
    }
}
/** Whether a parsed value is a JSON object. */
export function isJsonObject(value) {
    return typeof value === 'object' && value !== null && !isJsonList(value);
}
/** Whether a parsed value is a JSON list; `Array.isArray` doesn't narrow a readonly one. */
export function isJsonList(value) {
    return Array.isArray(value);
}
/** The value's own member or item, `undefined` where it has none. */
export function memberOf(value, segment) {
    if (isJsonList(value))
        return typeof segment === 'number' ? value[segment] : undefined;
    return isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : undefined;
}
/** The body with the identifiers in their places. */
export function withReferences(body, resolved) {
    return resolved.reduce((whole, { path, id }) => withMember(whole, path, id), body);
}
/** A copy of the object with the value at the path; missing objects and lists on the way there are made. */
export function withMember(object, [name = '', ...rest], value) {
    return { ...object, [name]: valueWith(memberOf(object, name), rest, value) };
}
function valueWith(old, path, value) {
    const [segment, ...rest] = path;
    if (segment === undefined)
        return value;
    if (typeof segment === 'string')
        return withMember(isJsonObject(old) ? old : {}, path, value);
    const items = isJsonList(old) ? [...old] : [];
    items[Math.min(segment, items.length)] = valueWith(items[segment], rest, value);
    return items;
}
//# sourceMappingURL=json-record.js.map