/**
 * Path patterns as in a shell: `*` and `?` within a name, `**` for any folders, `[a-z]`, and `\`
 * before a literal sign. Matching takes time in proportion to pattern and path: only the last star
 * ever takes more. A regular expression with several stars, as libraries make it, would take
 * minutes for one name of 255 signs.
 */

/** The path's parts are separated by `/`. */
type PathPattern = (path: string) => boolean;

const MOST_SIGNS = 1_000;

/** As text: what is wrong, to follow "expected". */
export function parsePathPattern(text: string): PathPattern | string {
  if (text.length > MOST_SIGNS) return `at most ${MOST_SIGNS} signs`;
  const steps = partsOf(text);
  if (typeof steps === 'string') return steps;
  return (path) =>
    isLedThrough(
      steps,
      path.split('/').map((part) => [...part]),
    );
}

type Sign = string;

/** Takes one item; `null`: any number of them, or none. */
type Step<Item> = ((item: Item) => boolean) | null;

/** Where a step doesn't fit, only the last `null` takes one item more. */
function isLedThrough<Item>(steps: readonly Step<Item>[], items: readonly Item[]): boolean {
  let step = 0;
  let again: { readonly step: number; readonly at: number } | null = null;
  for (let at = 0; at < items.length; ) {
    const takes = steps[step];
    const item = items[at];
    if (takes === null) {
      again = { step, at };
      step += 1;
    } else if (takes !== undefined && item !== undefined && takes(item)) {
      step += 1;
      at += 1;
    } else {
      if (again === null) return false;
      again = { step: again.step, at: again.at + 1 };
      step = again.step + 1;
      at = again.at;
    }
  }
  return steps.slice(step).every((rest) => rest === null);
}

/** A sign, one behind its backslash, or the signs of a `[…]`. */
const SIGNS = /\\.?|\[[!^]?\]?(?:\\.|[^\\\]])*\]|./gsu;

/** One step per part of the path; as text: what is wrong. */
function partsOf(text: string): Step<Sign[]>[] | string {
  const parts: Step<Sign[]>[] = [];
  let steps: Step<Sign>[] = [];
  let written: Sign[] = [];
  for (const sign of [...(text.match(SIGNS) ?? []), '/']) {
    if (sign !== '/') {
      const step = stepOf(sign, written.at(-1));
      if (typeof step === 'string') return step;
      steps.push(step);
      written.push(sign);
      continue;
    }
    const name = written.join('');
    if (['', '.', '..'].includes(name)) return 'a path below the inbox, such as partner-x/subclients*';
    const own = steps;
    parts.push(name === '**' ? null : (part) => isLedThrough(own, part));
    steps = [];
    written = [];
  }
  // What lies below a folder is not the folder itself.
  return parts.at(-1) === null ? [...parts, () => true] : parts;
}

/** By the sign before it in the same part; as text: what is wrong. */
function stepOf(sign: Sign, before: Sign | undefined): Step<Sign> | string {
  if (sign === '*') return null;
  if (sign === '?') return () => true;
  if (sign === '!' && before === undefined) {
    return 'a name that is meant, not "!" and one that is not; \\! stands for the sign itself';
  }
  if (sign === '(' && before !== undefined && '!?*+@'.includes(before)) {
    return 'no "(" behind !, ?, *, + or @: give several patterns; \\( stands for the sign itself';
  }
  if (sign === '{' || sign === '}') {
    return 'no { or }: give several patterns; a backslash before it stands for the sign itself';
  }
  if (sign === '[') return 'a closing ] for every [; \\[ stands for the sign itself';
  if (sign === '\\') return 'a sign behind the last \\';
  if (sign.length > 1 && sign.startsWith('[')) return classStep(sign);
  const literal = sign.startsWith('\\') ? sign.slice(1) : sign;
  return (one) => one === literal;
}

/** `[abc]` or `[a-z]`; with `!` or `^` first, any other sign. */
function classStep(text: string): Step<Sign> | string {
  const [, not = '', inner = ''] = /^\[([!^]?)(.*)\]$/su.exec(text) ?? [];
  const ranges = [...inner.matchAll(/(\\?.)(?:-(\\?.))?/gsu)].map(([, from = '', to = from]) => ({
    from: codeOf(from),
    to: codeOf(to),
  }));
  if (ranges.length === 0 || ranges.some(({ from, to }) => from > to)) {
    return 'signs, or a range such as a-z, within [ ]; \\[ stands for the sign itself';
  }
  return (one) => {
    const code = codeOf(one);
    return ranges.some(({ from, to }) => from <= code && code <= to) === (not === '');
  };
}

function codeOf(sign: string): number {
  return (sign.length > 1 && sign.startsWith('\\') ? sign.slice(1) : sign).codePointAt(0) ?? 0;
}
