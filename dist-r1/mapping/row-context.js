/**
 * A row while it is mapped: its values by slot, and what was found wrong with them. A table's row has its cells as
 * they are; a JSON record is laid out over the slots of the columns that the file had when it was first read.
 */
import { visitLeaves } from '../model/flatten-record.js';
import { memberOf, parseRecord } from '../model/json-record.js';
import { boundColumns } from './bind-fields.js';
import { isLeftOut } from './compilation.js';
import { formatFieldPath } from './request-field.js';
/** The context of a row before anything is mapped. */
export function createContext({ row, line, typed = [] }, values) {
    return { row, line, values, typed, issues: [], warnings: [], references: [], filled: 0 };
}
/** Notes an issue of the row. */
export function addIssue(context, issue) {
    context.issues.push(issueOf(context, issue));
}
/** Notes something that looks damaged in a row that is sent all the same. */
export function addWarning(context, warning) {
    context.warnings.push(issueOf(context, warning));
}
/** The finding as an issue of the row; a value that is no text becomes JSON. */
export function issueOf({ row, line }, { column, value, expected, code }) {
    return { row, line, column, value: cellText(value), expected, code };
}
function cellText(value) {
    if (value === undefined || value === null)
        return null;
    return typeof value === 'string' ? value : JSON.stringify(value);
}
const ONE_PLACE = 'one value: the record spells this path in two ways, nested and with dots in a name';
const NESTED = 'nested objects: dots in a name are not understood inside this member';
/**
 * Compiles the reading of JSON records. `key` is the column of the rows' own key. What the definition ignores inside a
 * member that is carried as it stands becomes a problem.
 */
export function compileRecordReader(compilation, bindings, key) {
    const { columns } = compilation.source;
    const members = bindings.filter((binding) => binding.kind === 'member');
    const used = new Set(key === null ? boundColumns(bindings) : [...boundColumns(bindings), key.column]);
    const targets = new Map(columns.map((column, slot) => [column, leafTarget({ column, slot }, members, used)]));
    const isIgnored = (column) => isLeftOut(column, compilation) || compilation.readsAsIgnored(column);
    compilation.problems.push(...partlyIgnored(columns, targets, isIgnored));
    return (row) => {
        const values = new Array(columns.length).fill(undefined);
        const context = createContext(row, values);
        const record = parseRecord(row.text);
        if (record === null)
            addUnreadable(context);
        else
            layOut(record, { targets, values, isIgnored }, context);
        return context;
    };
}
function leafTarget(at, members, used) {
    const member = members.find(({ path }) => `${at.column}.`.startsWith(`${formatFieldPath(path)}.`));
    if (member !== undefined)
        return { kind: 'member', member };
    return used.has(at.column) ? { kind: 'slot', slot: at.slot } : { kind: 'none' };
}
function partlyIgnored(columns, targets, isIgnored) {
    return columns.flatMap((column) => {
        const target = targets.get(column);
        if (target?.kind !== 'member' || !isIgnored(column))
            return [];
        const name = formatFieldPath(target.member.path);
        return [
            `ignore, "${column}": "${name}" is carried as it stands; ignore "${name}" as a whole or nothing in it`,
        ];
    });
}
function addUnreadable(context) {
    const expected = 'a readable row: the record is not one JSON object';
    addIssue(context, { code: 'unreadable_row', column: null, value: undefined, expected });
}
function layOut(record, layout, context) {
    visitLeaves(record, (path, leaf) => {
        const target = layout.targets.get(path) ?? unknownLeaf(path, layout, context);
        if (target.kind === 'none')
            return;
        if (target.kind === 'member') {
            layout.values[target.member.slot] = memberIn(record, { member: target.member, path }, context);
            return;
        }
        if (layout.values[target.slot] !== undefined) {
            addIssue(context, { code: 'conflicting_columns', column: path, value: leaf, expected: ONE_PLACE });
        }
        layout.values[target.slot] = leaf;
    });
}
function memberIn(record, { member, path }, context) {
    const value = member.path.reduce(memberOf, record);
    if (value === undefined) {
        context.filled += 1;
        addIssue(context, { code: 'conflicting_columns', column: path, value: undefined, expected: NESTED });
    }
    return value;
}
/** A leaf that no column of the file's first reading holds: the file has changed since. */
function unknownLeaf(path, layout, context) {
    if (!layout.isIgnored(path)) {
        context.filled += 1;
        const expected = 'a member that the file had when it was first read';
        addIssue(context, { code: 'cell_not_convertible', column: path, value: undefined, expected });
    }
    return { kind: 'none' };
}
//# sourceMappingURL=row-context.js.map