import type { Conversion, TypedValue } from './conversion.ts';

const TRUE_WORDS = ['true', 'yes', 'y', '1'] as const;
const FALSE_WORDS = ['false', 'no', 'n', '0'] as const;

/** The cells that mean true and false, exactly as written; a side left out keeps true/yes/y/1 or false/no/n/0 in any case. */
export type BooleanWords = {
  readonly true?: readonly string[] | undefined;
  readonly false?: readonly string[] | undefined;
};

/** A conversion to a boolean; words that would mean both are the caller's to refuse (`ambiguousWords`). */
export function booleanConversion(words: BooleanWords): Conversion {
  const meansTrue = matcher(words.true, TRUE_WORDS);
  const meansFalse = matcher(words.false, FALSE_WORDS);
  const conversion = {
    fromText: (text: string) => (meansTrue(text) ? true : meansFalse(text) ? false : undefined),
    fromJson: (value: TypedValue) => (typeof value === 'boolean' ? value : undefined),
    expected: `a boolean: ${list(words.true ?? TRUE_WORDS)} for true, ${list(words.false ?? FALSE_WORDS)} for false`,
  };
  const typed = (text: string) =>
    conversion.fromText(text) ?? (text === 'true' ? true : text === 'false' ? false : undefined);
  return { ...conversion, typed: { ...conversion, fromText: typed } };
}

/** The words of a definition that would mean true and false at once. */
export function ambiguousWords(words: BooleanWords): readonly string[] {
  const meansTrue = matcher(words.true, TRUE_WORDS);
  const meansFalse = matcher(words.false, FALSE_WORDS);
  const all = [...(words.true ?? TRUE_WORDS), ...(words.false ?? FALSE_WORDS)];
  return [...new Set(all.filter((word) => meansTrue(word) && meansFalse(word)))];
}

function matcher(own: readonly string[] | undefined, usual: readonly string[]): (text: string) => boolean {
  const words: ReadonlySet<string> = new Set(own ?? usual);
  return own === undefined ? (text) => words.has(text.toLowerCase()) : (text) => words.has(text);
}

function list(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ');
}
