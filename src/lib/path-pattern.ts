/**
 * Path patterns: `*` and `?` stand for signs of a name, `**` for any folders. The time to match
 * grows with pattern and path alone: only the last star ever takes more. A regular expression with
 * several stars, as libraries make it, would take minutes for one name of 255 signs.
 */

/** The path's parts are separated by `/`. */
type PathPattern = (path: string) => boolean;

const MOST_SIGNS = 1_000;
/** What other programs give a meaning: here it would stand for itself, and match no file. */
const OTHERS = /[[\]{}\\]|(?:^|\/)!|[!?*+@]\(/;

/** As text: what is wrong, to follow "expected". */
export function parsePathPattern(text: string): PathPattern | string {
  if (text.length > MOST_SIGNS) return `at most ${MOST_SIGNS} signs`;
  if (OTHERS.test(text))
    return 'only *, ? and ** to stand for something: give several patterns instead of [ ], { }, +( ) or !, and a ? for such a sign in a name';
  const parts = text.split('/');
  if (parts.some((part) => ['', '.', '..'].includes(part)))
    return 'a path below the inbox, such as partner-x/subclients*';
  const steps = parts.map((part) => (part === '**' ? null : nameStep(part)));
  // What lies below a folder is not the folder itself.
  const whole = steps.at(-1) === null ? [...steps, () => true] : steps;
  return (path) =>
    isLedThrough(
      whole,
      path.split('/').map((part) => [...part]),
    );
}

function nameStep(part: string): Step<string[]> {
  const signs = [...part].map((sign): Step<string> => {
    if (sign === '*') return null;
    return sign === '?' ? () => true : (one) => one === sign;
  });
  return (name) => isLedThrough(signs, name);
}

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
