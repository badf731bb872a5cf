/**
 * Rows with the same key as one request (the setting `group`). The first row says what the record is; each row adds its
 * items to one list, and what a later row says otherwise is an issue. A group is sent as a whole or not at all: a row
 * that is fine itself gets an issue that names the one that isn't.
 */
import { isDeepStrictEqual } from 'node:util';
import { isJsonList, isJsonObject, memberOf, withMember } from '../model/json-record.js';
import { MAX_GROUP_ROWS } from '../model/row-group.js';
import { suggestField } from './proposal/meaning.js';
import { formatFieldPath, parseFieldPath } from './request-field.js';
import { issueOf } from './row-context.js';
/**
 * Maps rows of one key to one request: the first row's body, with each row's items of the list in row order. Whatever
 * else a later row says has to be what the first one says. A row alone maps to itself.
 */
export function mergeGroup(rows, map, list) {
    if (rows.length >= MAX_GROUP_ROWS)
        return issuesOfEach(rows, tooLarge);
    const mapped = [];
    const own = new Map();
    for (const row of rows) {
        const made = map(row);
        if (made.kind === 'issues')
            own.set(row.row, made.issues);
        else
            mapped.push({ ...made, row });
    }
    for (const conflict of findConflicts(mapped, list)) {
        own.set(conflict.row, [...(own.get(conflict.row) ?? []), conflict]);
    }
    return own.size > 0 ? refused(rows, own) : merged(mapped, list);
}
/** The issues of a group beside which a row without a readable key stands: that row may belong to the group. */
export function besideKeyless(rows, keyless) {
    return issuesOfEach(rows, (row) => unsendable(row, `row ${keyless} beside them has no readable key and may be one of them`));
}
/** The group isn't sent in part: a row that is fine itself gets an issue that names one that isn't. */
function refused(rows, own) {
    const wrong = Math.min(...own.keys());
    return issuesOfEach(rows, (row) => own.get(row.row) ?? unsendable(row, `row ${wrong}, of the same key, can't be sent`));
}
function issuesOfEach(rows, issuesOf) {
    return { kind: 'issues', issues: new Map(rows.map((row) => [row.row, issuesOf(row)])) };
}
function unsendable(row, why) {
    const expected = `rows of one key that can all be sent, since they are one request: ${why}`;
    return [issueOf(row, { column: null, value: null, expected, code: 'group_member' })];
}
function tooLarge(row) {
    const expected = `at most ${MAX_GROUP_ROWS - 1} rows with the same key, since they are one request`;
    return [issueOf(row, { column: null, value: null, expected, code: 'group_too_large' })];
}
function merged(rows, list) {
    const [first] = rows;
    if (first === undefined)
        throw new Error('a group without rows');
    const warnings = new Map(rows.flatMap(({ row, warnings: own }) => (own.length === 0 ? [] : [[row.row, own]])));
    const { body, pathId, references } = first;
    const whole = rows.length === 1 ? { body, references } : withAllItems(first, rows, list.split('.'));
    return { kind: 'mapped', ...whole, pathId, warnings };
}
/** The first row with the items of all rows in its list; references into the list move to their items' places. */
function withAllItems(first, rows, list) {
    const items = [];
    const references = first.references.filter((reference) => positionIn(list, reference) === null);
    for (const { body, references: own } of rows) {
        const offset = items.length;
        items.push(...itemsOf(body, list));
        for (const reference of own) {
            const position = positionIn(list, reference);
            if (position === null)
                continue;
            // An item that only holds a reference is not in the body yet, but has its place.
            while (items.length <= offset + position)
                items.push({});
            references.push({ ...reference, path: reference.path.with(list.length, offset + position) });
        }
    }
    return { body: items.length === 0 ? first.body : withMember(first.body, list, items), references };
}
function itemsOf(body, list) {
    const items = list.reduce(memberOf, body);
    return isJsonList(items) ? items : [];
}
/** The position of the list's item that the reference lies in; `null` where the reference lies elsewhere. */
function positionIn(list, { path }) {
    const position = path[list.length];
    return list.every((name, i) => path[i] === name) && typeof position === 'number' ? position : null;
}
/**
 * Where later rows of a key contradict the first row, apart from the list that the rows fill together; members that they
 * leave out or empty are no conflict. One issue per member that differs.
 */
function findConflicts(rows, list) {
    const [first, ...later] = rows;
    if (first === undefined)
        return [];
    const expected = `what row ${first.row.row} of the same key has there, or nothing, since they are one request`;
    return later.flatMap((one) => differencesOf(first, one, list).map((difference) => issueOf(one.row, { ...difference, expected, code: 'group_conflict' })));
}
function differencesOf(first, later, list) {
    return [
        ...(later.pathId === null || later.pathId === first.pathId
            ? []
            : [{ column: 'id', value: later.pathId }]),
        ...bodyDifferences({ first: first.body, later: later.body, path: '', list }),
        ...later.references.flatMap((reference) => referenceDifference(reference, first.references, list)),
    ];
}
function bodyDifferences({ first, later, path, list }) {
    if (path === list || later === null)
        return [];
    if (isJsonObject(later) && (first === undefined || isJsonObject(first))) {
        return Object.entries(later).flatMap(([name, value]) => bodyDifferences({
            first: memberOf(first, name),
            later: value,
            path: path === '' ? name : `${path}.${name}`,
            list,
        }));
    }
    return isDeepStrictEqual(first, later) ? [] : [{ column: path, value: later }];
}
function referenceDifference({ path, space, key, column }, firsts, list) {
    const place = path.join('.');
    if (place.startsWith(`${list}.`))
        return [];
    const same = firsts.find((first) => first.path.join('.') === place);
    return same?.space === space && same.key === key ? [] : [{ column, value: key }];
}
/** What is wrong with the list that the definition's `group` names. */
export function groupProblems(compilation, bindings) {
    const { definition, source, catalog } = compilation;
    const { group } = definition;
    if (group === undefined)
        return [];
    const problem = listProblem(group, compilation);
    if (problem !== null)
        return [`group: ${problem}`];
    // A JSON file without a record has no columns to miss.
    if (source.columns.length === 0 || bindings.some((binding) => fills(binding, group)))
        return [];
    const item = [...catalog.keys()].find((field) => field.startsWith(`${group}.#.`));
    return [
        `group: no column fills the list "${group}"; expected one such as "${item?.replaceAll('#', '0') ?? group}", or one mapped to it under "fields"`,
    ];
}
function listProblem(group, compilation) {
    const path = parseFieldPath(group);
    if (typeof path === 'string')
        return path;
    const known = compilation.lookUp(path);
    if (known.kind === 'unknown') {
        return `${compilation.definition.operation} has no list "${group}".${suggestField(group, compilation)}`;
    }
    const isList = (known.kind === 'container' && known.shape === 'list') ||
        (known.kind === 'leaf' && known.type === 'string-list');
    if (isList && path.every((segment) => typeof segment === 'string'))
        return null;
    return `"${group}" is no list of the request; expected one such as accounts`;
}
function fills(binding, group) {
    return binding.kind !== 'constant' && `${formatFieldPath(binding.path)}.`.startsWith(`${group}.`);
}
//# sourceMappingURL=group.js.map