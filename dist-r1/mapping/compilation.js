import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../model/source.js';
import { createFieldLookup, createFindField, foldName, parseFieldPath, } from './request-field.js';
/** Begins to compile one definition for one file and one operation. */
export function startCompilation(options) {
    const { catalog, pathField, definition, source } = options;
    const lookUp = createFieldLookup(catalog, pathField);
    const isField = (column) => {
        const path = parseFieldPath(column);
        return typeof path !== 'string' && lookUp(path).kind !== 'unknown';
    };
    return {
        ...options,
        lookUp,
        findField: createFindField(catalog, pathField),
        findColumn: createFindColumn(source.columns, definition, isField),
        readsAsIgnored: createReadsAsIgnored(definition, source),
        problems: [],
    };
}
/**
 * The column that fills a field, or what is wrong; `null` for a table without the column, which `missingColumns` reports.
 * JSON records leave out empty members: a member that no record has is empty in every row, as in a corrected remainder.
 */
export function placeOf(name, compilation) {
    const { source, findColumn } = compilation;
    const isSparse = !isTable(source) && findColumn(name).kind === 'none';
    return isSparse ? { column: name, slot: source.columns.length } : columnNamed(name, compilation);
}
/**
 * A column that the definition can't do without, or what is wrong; `null` where there is none, which `missingColumns`
 * reports. A JSON file without a record has no columns to miss.
 */
export function columnNamed(name, { source, findColumn }) {
    const found = findColumn(name);
    switch (found.kind) {
        case 'found':
            return { column: found.column, slot: found.slot };
        case 'several':
            return severalProblem(name, found.columns);
        case 'none':
            return source.columns.length === 0 && !isTable(source) ? { column: name, slot: 0 } : null;
        default:
            return found;
    }
}
function severalProblem(name, columns) {
    if (columns.every((column) => column === name)) {
        return `the file has more than one column "${name}"; expected different names`;
    }
    const all = columns.map((column) => `"${column}"`).join(' and ');
    return `columns ${all} both read as "${name}"; expected one of them. Rename one, or list it under "ignore".`;
}
/** Every column that the definition takes something from, by the definition's name for it. */
export function namesTaken({ fields, key }) {
    const named = Object.values(fields).flatMap((source) => columnOf(source) ?? []);
    return key === undefined ? named : [...named, key];
}
/** The column that a field is taken from, as the definition names it; `null` for a constant. */
export function columnOf(source) {
    if (typeof source === 'string')
        return source;
    return 'column' in source ? source.column : null;
}
/** Whether nothing of the column is sent: a report file added it, or the definition ignores it by its name. */
export function isLeftOut(column, { definition, source }) {
    if (column.startsWith(REPORT_COLUMN_PREFIX))
        return true;
    const ignored = definition.ignore;
    if (isTable(source))
        return ignored.includes(column);
    return isAtOrBelow(column, REPORT_MEMBER) || ignored.some((name) => isAtOrBelow(column, name));
}
function createReadsAsIgnored(definition, source) {
    const columns = new Set(source.columns);
    const names = new Set(definition.ignore.filter((name) => !columns.has(name)).map(foldName));
    if (names.size === 0)
        return () => false;
    if (isTable(source))
        return (column) => names.has(foldName(column));
    return (column) => {
        const folded = foldName(column);
        return [...names].some((name) => isAtOrBelow(folded, name));
    };
}
function isAtOrBelow(column, name) {
    return column.startsWith(name) && (column.length === name.length || column[name.length] === '.');
}
/** A column that is a field by its own name, or that another setting names exactly, does not make an exact match ambiguous. */
function createFindColumn(columns, definition, isField) {
    const byName = slotsBy(columns, (column) => column);
    const byFolded = slotsBy(columns, foldName);
    const named = new Set([...namesTaken(definition), ...definition.ignore]);
    const columnsAt = (slots) => slots.map((slot) => columns[slot] ?? '');
    return (name) => {
        const exact = byName.get(name) ?? [];
        if (exact.length > 1)
            return { kind: 'several', columns: columnsAt(exact) };
        const alike = (byFolded.get(foldName(name)) ?? []).filter((slot) => !named.has(columns[slot] ?? ''));
        const rivals = exact.length === 0 ? alike : alike.filter((slot) => !isField(columns[slot] ?? ''));
        const [slot, ...others] = [...exact, ...rivals];
        if (slot === undefined)
            return { kind: 'none' };
        if (others.length > 0)
            return { kind: 'several', columns: columnsAt([slot, ...others]) };
        return { kind: 'found', column: columns[slot] ?? name, slot };
    };
}
function slotsBy(columns, nameOf) {
    const slots = new Map();
    for (const [slot, column] of columns.entries()) {
        const name = nameOf(column);
        const same = slots.get(name);
        if (same === undefined)
            slots.set(name, [slot]);
        else
            same.push(slot);
    }
    return slots;
}
//# sourceMappingURL=compilation.js.map