/** A request field's place in the body: names, and positions in lists. */
export type FieldPath = readonly (string | number)[];

export type ParsedFieldPath =
  | { readonly kind: 'path'; readonly path: FieldPath }
  | { readonly kind: 'problem'; readonly problem: string };

/** The highest list position a header may name: a typing error must not ask for a list of millions. */
export const MAX_POSITION = 99;

/** Names that reach an object's prototype rather than a member of its own. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Reads `details.name`, `accounts.0.iban` or `accounts[0].iban`. */
export function parseFieldPath(text: string): ParsedFieldPath {
  const path: (string | number)[] = [];
  for (const segment of text.replaceAll(/\[(\d+)\]/g, '.$1').split('.')) {
    const problem = problemOf(segment);
    if (problem !== null) return { kind: 'problem', problem };
    path.push(/^\d+$/.test(segment) ? Number(segment) : segment);
  }
  return { kind: 'path', path };
}

/** The longest beginning of a path that can be read: `draft.items` of `draft.items.100.x`; empty for a refused name. */
export function readableStart(text: string): FieldPath {
  const segments = text.split('.');
  if (segments.some((segment) => FORBIDDEN.has(segment))) return [];
  const end = segments.findIndex((segment) => problemOf(segment) !== null);
  const parsed = parseFieldPath(segments.slice(0, end === -1 ? segments.length : end).join('.'));
  return parsed.kind === 'path' ? parsed.path : [];
}

/** The path as headers write it: `accounts.0.iban`. */
export function formatFieldPath(path: FieldPath): string {
  return path.join('.');
}

/** The path as the catalog writes it: `accounts.#.iban`. */
export function catalogPath(path: FieldPath): string {
  return path.map((segment) => (typeof segment === 'number' ? '#' : segment)).join('.');
}

function problemOf(segment: string): string | null {
  if (segment === '') return 'expected names and list positions with one dot between them';
  if (FORBIDDEN.has(segment)) return `"${segment}" is refused as part of a field's path`;
  if (!/^\d+$/.test(segment)) return null;
  if (!/^(?:0|[1-9]\d*)$/.test(segment)) return `expected the list position ${segment} without leading zeros`;
  return Number(segment) > MAX_POSITION ? `expected a list position from 0 to ${MAX_POSITION}` : null;
}
