/** The leaves by their paths. */
export function flattenRecord(record) {
    const leaves = new Map();
    visitLeaves(record, (path, leaf) => void leaves.set(path, leaf));
    return leaves;
}
/** Calls `visit` for every leaf in order of appearance, also where two share a path. */
export function visitLeaves(record, visit) {
    for (const name of Object.keys(record))
        visitValue(name, record[name] ?? null, visit);
}
function visitValue(path, value, visit) {
    if (!isBranch(value))
        visit(path, value);
    else
        for (const name of Object.keys(value))
            visitValue(`${path}.${name}`, memberOf(value, name), visit);
}
function isBranch(value) {
    if (value === null || typeof value !== 'object')
        return false;
    return isList(value) ? !value.every(isScalar) : Object.keys(value).length > 0;
}
function memberOf(value, name) {
    return (isList(value) ? value[Number(name)] : value[name]) ?? null;
}
/** `Array.isArray` doesn't narrow a readonly list. */
function isList(value) {
    return Array.isArray(value);
}
function isScalar(value) {
    return value === null || typeof value !== 'object';
}
//# sourceMappingURL=flatten-record.js.map