import type { JsonValue } from '../model/request.ts';
import type { Conversion } from './conversion.ts';

const SEPARATOR = /[;|]/;

/** Text is split on `;` and `|`, its parts trimmed; empty parts and JSON nulls are left out. */
export const listConversion: Conversion = {
  fromText: (text) => partsOf(text),
  fromJson: (value) => (Array.isArray(value) ? stringsOf(value) : undefined),
  expected: 'a list of strings (in one cell: separated by ; or |)',
};

function partsOf(text: string): readonly string[] | null {
  const parts: string[] = [];
  for (const part of text.split(SEPARATOR)) {
    const trimmed = part.trim();
    if (trimmed !== '') parts.push(trimmed);
  }
  return parts.length === 0 ? null : parts;
}

function stringsOf(values: readonly JsonValue[]): readonly string[] | undefined {
  const strings: string[] = [];
  for (const value of values) {
    if (value === null || value === '') continue;
    if (typeof value !== 'string') return undefined;
    strings.push(value);
  }
  return strings;
}
