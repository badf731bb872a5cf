/** A name without what can't be seen at its ends: every kind of space, signs without width, marks of byte order and direction. */
export function trimName(name: string): string {
  let start = 0;
  let end = name.length;
  while (start < end && isInvisible(name.charAt(start))) start += 1;
  while (end > start && isInvisible(name.charAt(end - 1))) end -= 1;
  return name.slice(start, end);
}

// Character by character: the same as one expression takes quadratic time on a long run of spaces.
function isInvisible(char: string): boolean {
  return INVISIBLE.test(char);
}

const INVISIBLE = /^[\s\p{Cf}]$/u;
