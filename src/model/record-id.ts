/**
 * The one rule of what can be the service's id of a record, whoever names it (the service, a
 * look-up, a person, a row): it stands in paths, reports and terminals. What the rule refuses is
 * never used.
 */

/** Far more than any id has: a longer text is something else. */
const LONGEST_ID = 256;

/** Control characters, invisible ones, and those that turn the text round. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
/** Percent-encoding leaves dots as they are, and some servers take an encoded slash for a slash. */
const FOLDER_UP = /(^|[/\\])\.{1,2}($|[/\\])/;

/** Why the text is no id, to follow "expected an id"; `null`: it is one. */
export function idProblem(id: string): string | null {
  if (id.trim() === '') return ', got none';
  if (id.length > LONGEST_ID) return ` of at most ${LONGEST_ID} characters, got ${id.length}`;
  if (UNSEEN.test(id) || !id.isWellFormed()) return ' without control characters, invisible or broken ones';
  if (FOLDER_UP.test(id)) return ', got one with "." or ".." in it, which is a folder in a path';
  return null;
}

export type GivenId =
  | { readonly kind: 'id'; readonly id: string }
  /** The service gave an id that can't be used. */
  | { readonly kind: 'unusable'; readonly text: string }
  | { readonly kind: 'none' };

/** A number counts only where JSON.parse can't have rounded it. */
export function readId(value: unknown): GivenId {
  if (typeof value === 'number') {
    const text = String(value);
    return Number.isSafeInteger(value) && value > 0 ? { kind: 'id', id: text } : { kind: 'unusable', text };
  }
  if (typeof value !== 'string' || value === '') return { kind: 'none' };
  return idProblem(value) === null ? { kind: 'id', id: value } : { kind: 'unusable', text: value };
}
