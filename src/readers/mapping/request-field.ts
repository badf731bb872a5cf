/**
 * The fields of a request, their paths and what the operation's catalog knows of a path.
 * `accounts.0.iban` is a field's path; the catalog and the definition's `required` have
 * `accounts.#.iban` for every position.
 */
import type { FieldCatalog, FieldType } from '../../model/mapping.ts';
import { readData, remembered } from './read-data.ts';

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

export function formatFieldPath(path: FieldPath): string {
  return path.join('.');
}

/** Of every position the first. */
export function atFirst(path: FieldPath): FieldPath {
  return path.map((segment) => (segment === '#' ? 0 : segment));
}

/** Of an item of a list the list's. */
export function lastName(path: FieldPath): string {
  return path.findLast((segment) => typeof segment === 'string') ?? '';
}

export function catalogPath(path: FieldPath): string {
  return path.map((segment) => (typeof segment === 'number' ? '#' : segment)).join('.');
}

/** What a file has under the name of such a field is something of its own system's. */
export function isSetByService(field: string): boolean {
  return SET_BY_SERVICE.test(field);
}

const SET_BY_SERVICE = new RegExp(
  [
    '^(?:id|vanityId|state|status|draft)$',
    '^(?:actions|payable|linkedDocuments)(?:\\.|$)',
    '^parent\\.(?:id|vanityId|state|isSelf)$',
    '\\.(?:actions|networks|verificationResponses)(?:\\.|$)',
  ].join('|'),
);

function problemOf(segment: string): string | null {
  if (segment === '') return 'expected names and list positions with one dot between them';
  if (FORBIDDEN.has(segment)) return `"${segment}" is refused as part of a field's path`;
  if (!/^\d+$/.test(segment)) return null;
  if (!/^(?:0|[1-9]\d*)$/.test(segment)) return `expected the list position ${segment} without leading zeros`;
  return Number(segment) > MAX_POSITION ? `expected a list position from 0 to ${MAX_POSITION}` : null;
}

/** What people call the field, such as “Country of the main address”; see data/labels.tsv. */
export const fieldLabel = remembered((field: string): string => {
  const names = segmentsOf(field).filter((name) => !/^[\d#]+$/.test(name));
  const own = labels().get(names.join('.'));
  const member = own ?? labels().get(names.at(-1) ?? '') ?? spelledName(names.at(-1) ?? '');
  const paths = names.map((_, end) => names.slice(0, -1 - end).join('.'));
  const within = own === undefined ? paths.map((path) => labels().get(`${path}.`)).find(Boolean) : undefined;
  const position = Number(/\d+/.exec(field)?.[0] ?? 0);
  return `${member}${within === undefined ? '' : ` ${within}`}${position > 0 ? ` (${position + 1})` : ''}`;
});

function labels(): ReadonlyMap<string, string> {
  return labelTable('labels.tsv');
}

const labelTable = remembered((name: string) => {
  return new Map(readData(name).map(([field = '', words = '']) => [field, words]));
});

/** `monthlyVolume` as `Monthly volume`. */
function spelledName(name: string): string {
  const words = name.replaceAll(/[A-Z]+/g, (capitals) => ` ${capitals.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type LeafType = Exclude<FieldType, 'object'>;

export type KnownField =
  | { readonly kind: 'leaf'; readonly type: LeafType; readonly listElement: boolean }
  /** An object or a list that holds fields and is none itself. */
  | { readonly kind: 'container'; readonly shape: 'object' | 'list' }
  /** At or inside a member whose contents are not shown. */
  | { readonly kind: 'opaque' }
  | { readonly kind: 'unknown' };

export type FieldLookup = (path: FieldPath) => KnownField;

export function createFieldLookup(catalog: FieldCatalog, pathField: string | null): FieldLookup {
  const containers = containersOf(catalog);
  return (path) => {
    if (path.includes('#')) return { kind: 'unknown' }; // every position, in the catalog only
    const name = catalogPath(path);
    if (name === pathField) return { kind: 'leaf', type: 'string', listElement: false };
    const type = catalog.get(name);
    if (type !== undefined && type !== 'object') return { kind: 'leaf', type, listElement: false };
    if (isListElement(catalog, path)) return { kind: 'leaf', type: 'string', listElement: true };
    const shape = containers.get(name);
    if (shape !== undefined) return { kind: 'container', shape };
    const around = path.map((_, end) => catalogPath(path.slice(0, end + 1)));
    const isOpaque = around.some((one) => catalog.get(one) === 'object');
    return { kind: isOpaque ? 'opaque' : 'unknown' };
  };
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
  if (typeof path.at(-1) !== 'number') return false;
  return catalog.get(catalogPath(path.slice(0, -1))) === 'string-list';
}

export type FindField = (header: string) => string | null;

export function createFindField(catalog: FieldCatalog, pathField: string | null): FindField {
  const spellings = new Map<string, string | null>();
  const own = pathField === null ? [] : [pathField];
  for (const field of [...own, ...catalog.keys()]) {
    const folded = foldName(field);
    spellings.set(folded, spellings.has(folded) ? null : field); // which of two is meant nobody knows
  }
  return (header) => {
    if (header.includes('#')) return null; // every position, in the catalog only
    const folded = foldName(header).replaceAll(/\[(\d+)\]/g, '.$1');
    const field = spellings.get(folded.replaceAll(POSITION, '#')) ?? null;
    if (field === null) return null;
    return withPositions(field, folded.match(POSITION) ?? []);
  };
}

const POSITION = /(?<=\.)\d+(?=\.|$)/g;

/** The catalog's path with positions in place of its `#`; 0 where there are no positions left. */
export function withPositions(field: string, positions: readonly string[]): string {
  let next = 0;
  return field.replaceAll('#', () => positions[next++] ?? '0');
}

/** A name without case, kinds and ends of space, width, and characters that nobody sees. */
export function foldName(name: string): string {
  const visible = name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
  // Upper case first: it joins letters that have only one capital, such as ß and ss.
  return visible.replaceAll(/\s+/g, ' ').trim().toUpperCase().toLowerCase().normalize('NFKC');
}
