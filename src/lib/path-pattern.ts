/**
 * Path patterns: `*` and `?` stand for signs of a name, `**` for any folders. Few stars keep the
 * time to match short, whatever the name.
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
  if (parts.filter((part) => part === '**').length > MOST_STARS || parts.some(hasManyStars))
    return `at most ${MOST_STARS} stars in a name, and as many **`;
  const form = new RegExp(`^${parts.map(formOf).join('')}$`, 'us');
  return (path) => form.test(path);
}

/** A hostile name of 255 signs takes time with the power of their number. */
const MOST_STARS = 3;

function hasManyStars(part: string): boolean {
  return part !== '**' && part.split('*').length > MOST_STARS + 1;
}

/** What lies below a folder is not the folder itself. */
function formOf(part: string, at: number, { length }: readonly string[]): string {
  const isLast = at === length - 1;
  if (part === '**') return isLast ? '.+' : '(?:[^/]*/)*';
  const name = part.replaceAll(/[$()*+.?^|]/g, (sign) => SIGNS.get(sign) ?? `\\${sign}`);
  return isLast ? name : `${name}/`;
}

const SIGNS: ReadonlyMap<string, string> = new Map([
  ['*', '[^/]*'],
  ['?', '[^/]'],
]);
