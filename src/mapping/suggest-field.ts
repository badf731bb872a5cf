import { nearest } from '../lib/did-you-mean.ts';
import type { MappingOptions } from './mapping-options.ts';
import { createFindMeaning } from './proposal/find-meaning.ts';

type Suggesting = Pick<MappingOptions, 'definition' | 'catalog' | 'pathField'>;

/**
 * ` Did you mean "accounts.3.iban"?` for a path or a header that is no field, or nothing.
 * A header that names a field as businesses do (`Sort code`), or only its last part (`IBAN`), is recognised too.
 */
export function suggestField(written: string, options: Suggesting): string {
  const { catalog, pathField } = options;
  const positions = written.match(/(?<=[.[])\d{1,2}(?=[\].]|$)/g) ?? [];
  const paths = [...(pathField === null ? [] : [pathField]), ...catalog.keys()];
  const fields = paths.map((path) => withPositions(path, positions));
  const found =
    byMeaning(written, options) ??
    exactLastPart(written, fields) ??
    nearest(written, fields, mostWrong(written)) ??
    nearestLastPart(written, fields);
  return found === null ? '' : ` Did you mean "${found}"?`;
}

function byMeaning(written: string, { definition, catalog, pathField }: Suggesting): string | null {
  const meaning = createFindMeaning(definition.operation, catalog, pathField)(written);
  if (meaning === null || meaning.isReference) return null;
  const isField = catalog.has(meaning.field.replaceAll(/\.\d+(?=\.|$)/g, '.#'));
  return isField || meaning.field === pathField ? meaning.field : null;
}

/** Of a bare name, few signs make another word: rather no suggestion than a wrong one. */
function mostWrong(written: string): ((length: number) => number) | undefined {
  return /[.[]/.test(written) ? undefined : fewSigns;
}

function fewSigns(length: number): number {
  return Math.max(1, Math.floor(length / 6));
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
  const part = nearest(written, fields.map(lastPart), mostWrong(written));
  return fields.find((field) => lastPart(field) === part) ?? null;
}

function lastPart(field: string): string {
  return field.slice(field.lastIndexOf('.') + 1);
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
