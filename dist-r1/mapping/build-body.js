import { isJsonObject } from '../model/json-record.js';
import { convert } from './conversion.js';
import { formatFieldPath } from './request-field.js';
import { addIssue } from './row-context.js';
import { keyText } from './row-key.js';
/** Arranges the bindings by their places; two bindings of the same place, or one inside another, are added to `problems`. */
export function bodyTree(bindings, problems) {
    const root = createNode([]);
    for (const binding of bindings)
        insert(root, binding, problems);
    return root;
}
/** Every binding at or below the node, in the order of the body. */
function bindingsBelow(node) {
    const below = [...node.children.values()].flatMap(bindingsBelow);
    return node.binding === null ? below : [node.binding, ...below];
}
function insert(root, binding, problems) {
    let node = root;
    for (const [i, segment] of binding.path.entries()) {
        if (fillsItself(node))
            return void problems.push(conflict(node.binding, binding));
        const child = node.children.get(segment) ?? createNode(binding.path.slice(0, i + 1));
        node.children.set(segment, child);
        node = child;
    }
    const [other] = binding.kind === 'container' ? [node.binding] : bindingsBelow(node);
    if (other !== undefined && other !== null)
        problems.push(conflict(other, binding));
    else
        node.binding = binding;
}
/** An empty container lets other records fill what is below it. */
function fillsItself(node) {
    return node.binding !== null && node.binding.kind !== 'container';
}
function conflict(first, second) {
    const place = formatFieldPath(first.path);
    const other = formatFieldPath(second.path);
    const [one, two] = [describeBinding(first), describeBinding(second)];
    return place === other
        ? `field "${place}": ${one} and ${two} both fill it; expected one of them. Take one out, or list it under "ignore".`
        : `fields "${place}" (${one}) and "${other}" (${two}): one lies inside the other; expected one of them.`;
}
/** What fills a field, for a message: `column "Country"` or `a constant`. */
function describeBinding(binding) {
    return binding.kind === 'constant' ? 'a constant' : `column "${binding.column}"`;
}
function createNode(path) {
    return { path, binding: null, children: new Map() };
}
/** Compiles the body's shape into one function. */
export function buildBody(node, emptyCell) {
    if (node.children.size === 0)
        return node.binding === null ? () => undefined : buildLeaf(node.binding, emptyCell);
    const whole = isList(node)
        ? buildList(itemsOf(node, emptyCell), node.path.length)
        : buildObject(membersOf(node, emptyCell));
    return node.binding === null ? whole : orElse(whole, buildLeaf(node.binding, emptyCell));
}
function isList(node) {
    return [...node.children.keys()].every((segment) => typeof segment === 'number');
}
function membersOf(node, emptyCell) {
    return [...node.children].map(([name, child]) => ({
        name: String(name),
        build: buildBody(child, emptyCell),
    }));
}
function itemsOf(node, emptyCell) {
    const children = [...node.children].sort(([a], [b]) => Number(a) - Number(b));
    return children.map(([, child]) => ({
        build: buildBody(child, emptyCell),
        fromColumns: bindingsBelow(child).some((binding) => binding.kind !== 'constant'),
    }));
}
function buildObject(members) {
    return (context) => {
        let object;
        for (const member of members) {
            const value = member.build(context);
            if (value === undefined)
                continue;
            object ??= {};
            object[member.name] = value;
        }
        return object;
    };
}
/** Leaves out an item whose columns are all empty, whatever `emptyCell` says; a constant alone doesn't keep the item. */
function buildList(items, depth) {
    return (context) => {
        let list;
        for (const item of items) {
            const { filled, references } = context;
            const others = references.length;
            const value = item.build(context) ?? (references.length > others ? {} : undefined);
            if (value === undefined || (item.fromColumns && context.filled === filled))
                continue;
            list ??= [];
            if (references.length > others)
                moveReferences(references, others, { depth, position: list.length });
            list.push(value);
        }
        return list;
    };
}
/** Compacting a list moves its items, so that the places of identifiers to be put in later move too. */
function moveReferences(references, start, to) {
    for (const [i, reference] of references.entries()) {
        if (i >= start)
            references[i] = { ...reference, path: reference.path.with(to.depth, to.position) };
    }
}
/** The first part's value, else the second's. Both are built, so that the issues of both are found. */
function orElse(first, second) {
    return (context) => {
        const value = first(context);
        const other = second(context);
        return value ?? other;
    };
}
const REFERENCE = 'the key of another record, as text';
/** The part of the body that one binding fills. */
function buildLeaf(binding, emptyCell) {
    switch (binding.kind) {
        case 'cell':
            return buildCell(binding, emptyCell);
        case 'constant':
            return () => binding.value;
        case 'reference':
            return buildReference(binding, emptyCell);
        case 'member':
            return buildMember(binding, emptyCell);
        case 'container':
            return buildContainer(binding, emptyCell);
        default:
            return binding;
    }
}
function buildCell(binding, emptyCell) {
    const { slot, conversion, column } = binding;
    const empty = emptyCell === 'null' ? null : undefined;
    return (context) => {
        const value = context.values[slot];
        if (value === '' || value === null)
            return empty;
        if (value === undefined)
            return undefined;
        const isTyped = context.typed.includes(slot);
        const applied = isTyped ? (conversion.typed ?? conversion) : conversion;
        const converted = convert(applied, value);
        if (converted === null)
            return empty;
        context.filled += 1;
        if (converted === undefined) {
            const remedy = isTyped ? '' : remedyOf(applied, value);
            const expected = `${applied.expected}${remedy}`;
            addIssue(context, { code: 'cell_not_convertible', column, value, expected });
        }
        return converted;
    };
}
function remedyOf({ remedy }, value) {
    return typeof value === 'string' && remedy !== undefined ? remedy(value) : '';
}
/** Puts nothing into the body: the identifier is put in when the record's key has been looked up. */
function buildReference(binding, emptyCell) {
    const { path, column, slot, space } = binding;
    return (context) => {
        const value = context.values[slot];
        if (value === undefined)
            return undefined;
        if (value === '' || value === null)
            return emptyCell === 'null' ? null : undefined;
        context.filled += 1;
        const key = keyText(value);
        if (key !== null)
            context.references.push({ space, key, path, column });
        else
            addIssue(context, { code: 'cell_not_convertible', column, value, expected: REFERENCE });
        return undefined;
    };
}
function buildMember(binding, emptyCell) {
    return (context) => {
        const value = context.values[binding.slot];
        if (value === null)
            return emptyCell === 'null' ? null : undefined;
        if (value !== undefined)
            context.filled += 1;
        return value;
    };
}
/** An empty list counts as a value (there are none); an empty object doesn't, but is passed on as it stands. */
function buildContainer(binding, emptyCell) {
    const { slot, shape, column } = binding;
    const expected = shape === 'list' ? 'a list of objects' : 'an object that holds the fields';
    return (context) => {
        const value = context.values[slot];
        if (value === undefined)
            return undefined;
        if (value === '' || value === null)
            return emptyCell === 'null' ? null : undefined;
        if (shape === 'object' && isEmptyObject(value))
            return value;
        context.filled += 1;
        if (shape === 'list' && Array.isArray(value) && value.length === 0)
            return value;
        addIssue(context, { code: 'cell_not_convertible', column, value, expected });
        return undefined;
    };
}
function isEmptyObject(value) {
    return isJsonObject(value) && Object.keys(value).length === 0;
}
//# sourceMappingURL=build-body.js.map