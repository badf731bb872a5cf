/**
 * The service's identifier of a record, and the one rule of what can be one: whoever names it, the service in an answer, a
 * look-up, a person or a row, it stands in paths, reports and terminals afterwards. What the rule refuses is never used.
 */

/** Far more than any identifier has; a longer text is something else that the service put there. */
const LONGEST_ID = 256;

/** Control characters, and those that show nothing or turn the text round them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Percent-encoding leaves dots as they are, and some servers take an encoded slash for a slash. */
const FOLDER_UP = /(^|[/\\])\.{1,2}($|[/\\])/;

/** What keeps the text from being an id, to follow "expected an id"; `null`: nothing. */
export function idProblem(id: string): string | null {
  if (id.trim() === '') return ', got none';
  if (id.length > LONGEST_ID) return ` of at most ${LONGEST_ID} characters, got ${id.length}`;
  if (UNSEEN.test(id) || !id.isWellFormed()) return ' without control characters, invisible or broken ones';
  if (FOLDER_UP.test(id)) return ', got one with "." or ".." in it, which is a folder in a path';
  return null;
}

export type GivenId =
  | { readonly kind: 'id'; readonly id: string }
  /** The service gave one that can't be used. */
  | { readonly kind: 'unusable'; readonly text: string }
  | { readonly kind: 'none' };

/** A number is taken only where JSON.parse can't have rounded it. */
export function readId(value: unknown): GivenId {
  if (typeof value === 'number') {
    const text = String(value);
    return Number.isSafeInteger(value) && value > 0 ? { kind: 'id', id: text } : { kind: 'unusable', text };
  }
  if (typeof value !== 'string' || value === '') return { kind: 'none' };
  return idProblem(value) === null ? { kind: 'id', id: value } : { kind: 'unusable', text: value };
}
