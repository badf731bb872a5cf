import type { FieldCatalog, FieldType } from '../model/mapping.ts';
import { catalogPath, type FieldPath } from './field-path.ts';

/** A type that one cell, one JSON scalar or one list of strings can fill. */
export type LeafType = Exclude<FieldType, 'object'>;

/** What the catalog knows of a path. */
export type KnownField =
  | { readonly kind: 'leaf'; readonly type: LeafType; readonly listElement: boolean }
  /** Holds fields, but is none itself. */
  | { readonly kind: 'container'; readonly shape: 'object' | 'list' }
  /** At or inside a member whose contents are not shown; `depth` segments lead to that member. */
  | { readonly kind: 'opaque'; readonly depth: number }
  | { readonly kind: 'unknown' };

export type FieldLookup = (path: FieldPath) => KnownField;

/** Prepares look-ups in a catalog; the path field of the operation counts as a string field. */
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
