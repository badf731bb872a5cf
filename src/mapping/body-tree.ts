import type { Binding } from './binding.ts';
import { describeBinding } from './binding.ts';
import type { FieldPath } from './field-path.ts';
import { formatFieldPath } from './field-path.ts';

/** The body's shape: what fills a place, and what lies below it. */
export type BodyNode = {
  readonly path: FieldPath;
  /** A field's value, or, at a place with others below it, an empty container's. */
  binding: Binding | null;
  readonly children: Map<string | number, BodyNode>;
};

/** Arranges the bindings by their places; two that fill the same place, or one inside another, are added to `problems`. */
export function bodyTree(bindings: readonly Binding[], problems: string[]): BodyNode {
  const root = createNode([]);
  for (const binding of bindings) insert(root, binding, problems);
  return root;
}

/** Every binding at or below the node, in the order of the body. */
export function bindingsBelow(node: BodyNode): readonly Binding[] {
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
  const place = formatFieldPath(first.path);
  const other = formatFieldPath(second.path);
  const [one, two] = [describeBinding(first), describeBinding(second)];
  return place === other
    ? `field "${place}": ${one} and ${two} both fill it; expected one of them. Take one out, or list it under "ignore".`
    : `fields "${place}" (${one}) and "${other}" (${two}): one lies inside the other; expected one of them.`;
}

function createNode(path: FieldPath): BodyNode {
  return { path, binding: null, children: new Map() };
}
