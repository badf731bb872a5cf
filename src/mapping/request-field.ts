/**
 * The fields of a request: how their paths are written, what the operation's catalog knows of a
 * path, and which field a header means that people would read as one. `accounts.0.iban` is a
 * field's path; the catalog and the definition's `required` have `accounts.#.iban` for every
 * position.
 */
import type { FieldCatalog, FieldType } from '../model/mapping.ts';

export type FieldPath = readonly (string | number)[];

/** A typing error must not ask for a list of millions. */
const MAX_POSITION = 99;

/** As deep as a record may be nested: looking a path up takes a step for each place on it. */
const MAX_NAMES = 32;

/** Names that reach an object's prototype rather than a member of its own. */
const FORBIDDEN: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** The place that `accounts.0.iban` or `accounts[0].iban` spells, or what is wrong with it. */
export function parseFieldPath(text: string): FieldPath | string {
  const path: (string | number)[] = [];
  for (const segment of segmentsOf(text)) {
    const problem = problemOf(segment);
    if (problem !== null) return problem;
    path.push(/^\d+$/.test(segment) ? Number(segment) : segment);
  }
  if (path.length > MAX_NAMES) return `expected at most ${MAX_NAMES} names and list positions`;
  return path;
}

function segmentsOf(text: string): readonly string[] {
  return text.replaceAll(/\[(\d+)\]/g, '.$1').split('.');
}

/** The longest readable beginning: `draft.items` of `draft.items.100.x`. */
export function readableStart(text: string): FieldPath {
  const segments = segmentsOf(text);
  if (segments.some((segment) => FORBIDDEN.has(segment))) return [];
  const end = segments.findIndex((segment) => problemOf(segment) !== null);
  const start = segments.slice(0, end === -1 ? MAX_NAMES : Math.min(end, MAX_NAMES));
  const path = parseFieldPath(start.join('.'));
  return typeof path === 'string' ? [] : path;
}

export function formatFieldPath(path: FieldPath): string {
  return path.join('.');
}

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

export type LeafType = Exclude<FieldType, 'object'>;

export type KnownField =
  | { readonly kind: 'leaf'; readonly type: LeafType; readonly listElement: boolean }
  /** An object or a list that holds fields and is none itself. */
  | { readonly kind: 'container'; readonly shape: 'object' | 'list' }
  /** At or inside a member whose contents are not shown; `depth` segments lead to that member. */
  | { readonly kind: 'opaque'; readonly depth: number }
  | { readonly kind: 'unknown' };

export type FieldLookup = (path: FieldPath) => KnownField;

export function createFieldLookup(catalog: FieldCatalog, pathField: string | null): FieldLookup {
  const containers = containersOf(catalog);
  return (path) => {
    const sign = path.indexOf('#');
    if (sign >= 0) return opaqueAt(catalog, path.slice(0, sign)); // every position, in the catalog only
    const name = catalogPath(path);
    if (name === pathField) return { kind: 'leaf', type: 'string', listElement: false };
    const type = catalog.get(name);
    if (type !== undefined && type !== 'object') return { kind: 'leaf', type, listElement: false };
    if (isListElement(catalog, path)) return { kind: 'leaf', type: 'string', listElement: true };
    const shape = containers.get(name);
    if (shape !== undefined) return { kind: 'container', shape };
    return opaqueAt(catalog, path);
  };
}

function opaqueAt(catalog: FieldCatalog, path: FieldPath): KnownField {
  const depth = opaqueDepth(catalog, path);
  return depth === null ? { kind: 'unknown' } : { kind: 'opaque', depth };
}

function containersOf(catalog: FieldCatalog): ReadonlyMap<string, 'object' | 'list'> {
  const containers = new Map<string, 'object' | 'list'>();
  for (const path of catalog.keys()) {
    const segments = path.split('.');
    for (let end = 1; end < segments.length; end += 1) {
      containers.set(segments.slice(0, end).join('.'), segments[end] === '#' ? 'list' : 'object');
    }
  }
  return containers;
}

function isListElement(catalog: FieldCatalog, path: FieldPath): boolean {
  return typeof path.at(-1) === 'number' && catalog.get(catalogPath(path.slice(0, -1))) === 'string-list';
}

function opaqueDepth(catalog: FieldCatalog, path: FieldPath): number | null {
  for (let depth = 1; depth <= path.length; depth += 1) {
    if (catalog.get(catalogPath(path.slice(0, depth))) === 'object') return depth;
  }
  return null;
}

export type FindField = (header: string) => string | null;

export function createFindField(catalog: FieldCatalog, pathField: string | null): FindField {
  const spellings = spellingsOf([...(pathField === null ? [] : [pathField]), ...catalog.keys()]);
  return (header) => {
    if (header.includes('#')) return null; // every position, in the catalog only
    const folded = foldName(header).replaceAll(/\[(\d+)\]/g, '.$1');
    const positions = folded.match(/(?<=\.)\d+(?=\.|$)/g) ?? [];
    const pattern = folded.replaceAll(/(?<=\.)\d+(?=\.|$)/g, '#');
    const field = spellings.get(pattern) ?? itemOf(spellings.get(pattern.replace(/\.#$/, '')), catalog);
    return field === undefined || field === null ? null : withPositions(field, positions);
  };
}

/** Fields, and what holds them, by folded spelling; `null` where two share one. */
function spellingsOf(fields: readonly string[]): ReadonlyMap<string, string | null> {
  const spellings = new Map<string, string | null>();
  for (const path of fields.flatMap(startsOf)) {
    const folded = foldName(path);
    const other = spellings.get(folded);
    spellings.set(folded, other === undefined || other === path ? path : null);
  }
  return spellings;
}

/** `accounts`, `accounts.#` and `accounts.#.iban` of `accounts.#.iban`. */
function startsOf(field: string): readonly string[] {
  const segments = field.split('.');
  return segments.map((_, end) => segments.slice(0, end + 1).join('.'));
}

function itemOf(field: string | null | undefined, catalog: FieldCatalog): string | null {
  return typeof field === 'string' && catalog.get(field) === 'string-list' ? `${field}.#` : null;
}

/** The catalog's path with positions in place of its `#`; 0 where there are no positions left. */
export function withPositions(field: string, positions: readonly string[]): string {
  let next = 0;
  return field.replaceAll('#', () => positions[next++] ?? '0');
}

/**
 * A name as people read it: the same for another case, another kind of space or width, spaces at
 * its ends, and characters that nobody sees. Names of one folded form are the same name.
 */
export function foldName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case first: it joins letters that have only one capital, such as ß and ss.
  return visible.replaceAll(/\s+/g, ' ').trim().toUpperCase().toLowerCase().normalize('NFKC');
}
