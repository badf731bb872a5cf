/**
 * The body of a row's request: a tree of objects and lists, compiled once into one function.
 * Objects appear where they have a member; lists are compacted, so that none has holes.
 */
import type { JobDefinition } from '../../config/job-definition.ts';
import type { WrittenAs } from '../../model/issue.ts';
import { isJsonObject } from '../../model/json-record.ts';
import type { Reference } from '../../model/mapping.ts';
import type { JsonValue } from '../../model/request.ts';
import type { Binding } from './bind-fields.ts';
import { severalOfName } from './compilation.ts';
import { type Conversion, convertFilled, expectedOf, isEmpty } from './conversion.ts';
import { type FieldPath, formatFieldPath } from './request-field.ts';
import { addIssue, type RowContext } from './row-context.ts';
import { keyText } from './row-key.ts';

export type Build = (context: RowContext) => JsonValue | undefined;

type BodyNode = {
  readonly path: FieldPath;
  /** What fills the place itself; above other places only an empty container's binding. */
  binding: Binding | null;
  readonly children: Map<string | number, BodyNode>;
};

type EmptyCell = JobDefinition['emptyCell'];
type Member = { readonly name: string; readonly build: Build };
type Item = { readonly build: Build; readonly fromColumns: boolean };

/** Two bindings of the same place, or one inside another, are added to `problems`. */
export function bodyTree(bindings: readonly Binding[], problems: string[]): BodyNode {
  const root = createNode([]);
  for (const binding of bindings) insert(root, binding, problems);
  return root;
}

function bindingsBelow(node: BodyNode): readonly Binding[] {
  const below = [...node.children.values()].flatMap(bindingsBelow);
  return node.binding === null ? below : [node.binding, ...below];
}

function insert(root: BodyNode, binding: Binding, problems: string[]): void {
  let node = root;
  for (const [i, segment] of binding.path.entries()) {
    if (fillsItself(node)) return void problems.push(conflict(node.binding, binding));
    const child = node.children.get(segment) ?? createNode(binding.path.slice(0, i + 1));
    node.children.set(segment, child);
    node = child;
  }
  const [other] = binding.kind === 'container' ? [node.binding] : bindingsBelow(node);
  if (other !== undefined && other !== null) problems.push(conflict(other, binding));
  else node.binding = binding;
}

/** An empty container lets other records fill what is below it. */
function fillsItself(node: BodyNode): node is BodyNode & { binding: Binding } {
  return node.binding !== null && node.binding.kind !== 'container';
}

function conflict(first: Binding, second: Binding): string {
  if (first.kind !== 'constant' && second.kind !== 'constant' && first.slot !== second.slot)
    if (first.column === second.column) return severalOfName(first.column);
  const place = formatFieldPath(first.path);
  const other = formatFieldPath(second.path);
  const [one, two] = [describeBinding(first), describeBinding(second)];
  return place === other
    ? `field "${place}": ${one} and ${two} both fill it; expected one of them. Take one out, or list it under "ignore".`
    : `fields "${place}" (${one}) and "${other}" (${two}): one lies inside the other; expected one of them.`;
}

function describeBinding(binding: Binding): string {
  return binding.kind === 'constant' ? 'a constant' : `column "${binding.column}"`;
}

function createNode(path: FieldPath): BodyNode {
  return { path, binding: null, children: new Map() };
}

export function buildBody(node: BodyNode, emptyCell: EmptyCell): Build {
  if (node.children.size === 0)
    return node.binding === null ? () => undefined : buildLeaf(node.binding, emptyCell);
  const whole = isList(node)
    ? buildList(itemsOf(node, emptyCell), node.path.length)
    : buildObject(membersOf(node, emptyCell));
  return node.binding === null ? whole : orElse(whole, buildLeaf(node.binding, emptyCell));
}

function isList(node: BodyNode): boolean {
  return [...node.children.keys()].every((segment) => typeof segment === 'number');
}

function membersOf(node: BodyNode, emptyCell: EmptyCell): readonly Member[] {
  return [...node.children].map(([name, child]) => ({
    name: String(name),
    build: buildBody(child, emptyCell),
  }));
}

function itemsOf(node: BodyNode, emptyCell: EmptyCell): readonly Item[] {
  const children = [...node.children].sort(([a], [b]) => Number(a) - Number(b));
  return children.map(([, child]) => ({
    build: buildBody(child, emptyCell),
    fromColumns: bindingsBelow(child).some((binding) => binding.kind !== 'constant'),
  }));
}

function buildObject(members: readonly Member[]): Build {
  return (context) => {
    let object: Record<string, JsonValue> | undefined;
    for (const member of members) {
      const value = member.build(context);
      if (value === undefined) continue;
      object ??= {};
      object[member.name] = value;
    }
    return object;
  };
}

/** Leaves out an item whose columns are all empty; a constant alone doesn't keep it. */
function buildList(items: readonly Item[], depth: number): Build {
  return (context) => {
    let list: JsonValue[] | undefined;
    for (const item of items) {
      const { filled, references } = context;
      const others = references.length;
      const value = item.build(context) ?? (references.length > others ? {} : undefined);
      if (value === undefined || (item.fromColumns && context.filled === filled)) continue;
      list ??= [];
      if (references.length > others) moveReferences(references, others, { depth, position: list.length });
      list.push(value);
    }
    return list;
  };
}

/** Compacting a list moves the places of identifiers that are put in later. */
function moveReferences(
  references: Reference[],
  start: number,
  to: { readonly depth: number; readonly position: number },
): void {
  for (const [i, reference] of references.entries()) {
    if (i >= start) references[i] = { ...reference, path: reference.path.with(to.depth, to.position) };
  }
}

/** Both are built, so that the issues of both are found. */
function orElse(first: Build, second: Build): Build {
  return (context) => {
    const value = first(context);
    const other = second(context);
    return value ?? other;
  };
}

const REFERENCE = 'the key of another record, as text';

function buildLeaf(binding: Binding, emptyCell: EmptyCell): Build {
  switch (binding.kind) {
    case 'cell':
      return buildCell(binding, emptyCell);
    case 'constant':
      return () => binding.value;
    case 'reference':
      return buildReference(binding, emptyCell);
    case 'container':
      return buildContainer(binding, emptyCell);
    default:
      return binding satisfies never;
  }
}

function buildCell(binding: Extract<Binding, { kind: 'cell' }>, emptyCell: EmptyCell): Build {
  const { slot, conversion, column, fallback } = binding;
  const empty = fallback ?? (emptyCell === 'null' ? null : undefined);
  return (context) => {
    const value = context.values[slot];
    if (value === undefined) return fallback ?? undefined;
    if (isEmpty(value)) return empty;
    const isTyped = isTypedCell(context, slot);
    const applied = isTyped ? (conversion.typed ?? conversion) : conversion;
    const converted = convertFilled(applied, value);
    if (converted === null) return empty;
    context.filled += 1;
    if (converted === undefined) {
      const expected = expectedOf(applied, value);
      const settings = isTyped ? [] : remedyOf(applied, value);
      addIssue(context, { code: 'cell_not_convertible', column, value, expected, settings });
    }
    return converted;
  };
}

function isTypedCell({ typed }: RowContext, slot: number): boolean {
  return typed.length > 0 && typed.includes(slot);
}

function remedyOf({ remedy }: Conversion, value: JsonValue): readonly WrittenAs[] {
  return typeof value === 'string' && remedy !== undefined ? remedy(value) : [];
}

/** Puts nothing into the body: the identifier follows when the record's key has been looked up. */
function buildReference(binding: Extract<Binding, { kind: 'reference' }>, emptyCell: EmptyCell): Build {
  const { path, column, slot, space, form } = binding;
  return (context) => {
    const value = context.values[slot];
    if (value === undefined) return undefined;
    if (isEmpty(value)) return emptyCell === 'null' ? null : undefined;
    context.filled += 1;
    const key = keyText(value);
    if (key !== null) context.references.push({ space, key, form, path, column });
    else addIssue(context, { code: 'cell_not_convertible', column, value, expected: REFERENCE });
    return undefined;
  };
}

/** An empty list is a value (there are none); an empty object is none, but passed on. */
function buildContainer(binding: Extract<Binding, { kind: 'container' }>, emptyCell: EmptyCell): Build {
  const { slot, shape, column } = binding;
  const expected = shape === 'list' ? 'a list of objects' : 'an object that holds the fields';
  return (context) => {
    const value = context.values[slot];
    if (value === undefined) return undefined;
    if (isEmpty(value)) return emptyCell === 'null' ? null : undefined;
    if (shape === 'object' && isJsonObject(value) && Object.keys(value).length === 0) return value;
    context.filled += 1;
    if (shape === 'list' && Array.isArray(value) && value.length === 0) return value;
    addIssue(context, { code: 'cell_not_convertible', column, value, expected });
    return undefined;
  };
}
