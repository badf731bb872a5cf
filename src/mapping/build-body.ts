import type { JobDefinition } from '../config/job-definition.ts';
import type { Reference } from '../model/mapping.ts';
import type { JsonValue } from '../model/request.ts';
import type { BodyNode } from './body-tree.ts';
import { bindingsBelow } from './body-tree.ts';
import type { Build } from './build-leaf.ts';
import { buildLeaf } from './build-leaf.ts';

type EmptyCell = JobDefinition['emptyCell'];
type Member = { readonly name: string; readonly build: Build };
type Item = { readonly build: Build; readonly fromColumns: boolean };

/**
 * Compiles the body's shape into one function. Objects appear where they have a member.
 * Lists are compacted in the order of their positions: an item all of whose columns are empty is left out,
 * whatever `emptyCell` says, and a constant alone doesn't keep it, so that a list never has holes.
 */
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

/** Compacting a list moves its items, and with them the places of the identifiers that are to come. */
function moveReferences(
  references: Reference[],
  start: number,
  to: { readonly depth: number; readonly position: number },
): void {
  for (const [i, reference] of references.entries()) {
    if (i >= start) references[i] = { ...reference, path: reference.path.with(to.depth, to.position) };
  }
}

/** Both run, so that the issues of both are found. */
function orElse(first: Build, second: Build): Build {
  return (context) => {
    const value = first(context);
    const other = second(context);
    return value ?? other;
  };
}
