import { nearest } from '../lib/did-you-mean.ts';
import type { FieldCatalog } from '../model/field.ts';

/**
 * ` Did you mean "accounts.3.iban"?` for a path or a header that is no field, or nothing.
 * A header that only names the last part of a field (`IBAN`) is recognised too.
 */
export function suggestField(written: string, catalog: FieldCatalog, pathField: string | null): string {
  const positions = written.match(/(?<=[.[])\d{1,2}(?=[\].]|$)/g) ?? [];
  const paths = [...(pathField === null ? [] : [pathField]), ...catalog.keys()];
  const fields = paths.map((path) => withPositions(path, positions));
  const found =
    exactLastPart(written, fields) ?? nearest(written, fields) ?? nearestLastPart(written, fields);
  return found === null ? '' : ` Did you mean "${found}"?`;
}

function withPositions(path: string, positions: readonly string[]): string {
  let next = 0;
  return path.replaceAll('#', () => positions[next++] ?? '0');
}

function exactLastPart(written: string, fields: readonly string[]): string | null {
  const wanted = fold(written);
  return fields.find((field) => fold(lastPart(field)) === wanted) ?? null;
}

function nearestLastPart(written: string, fields: readonly string[]): string | null {
  const part = nearest(written, fields.map(lastPart));
  return fields.find((field) => lastPart(field) === part) ?? null;
}

function lastPart(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
