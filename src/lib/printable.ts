/** Text that a terminal shows as it is: line ends and tabs spelled out, other control characters as a dot, so that no cell can move the cursor. */
export function printable(text: string): string {
  return text
    .replaceAll('\r', '\\r')
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '·');
}

/** At most `width` characters of printable text, the last of them `…` where some were left out. */
export function shorten(text: string, width: number): string {
  // Two units per character at most, and line ends spelled out only make it longer.
  const characters = [...printable(text.slice(0, 2 * width + 2))];
  return characters.length <= width ? characters.join('') : `${characters.slice(0, width - 1).join('')}…`;
}
