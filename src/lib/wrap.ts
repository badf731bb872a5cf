/** Words as lines of at most `width` columns, all but the first indented; a longer word stays whole on a line of its own. */
export function wrap(
  words: readonly string[],
  { width, indent }: { readonly width: number; readonly indent: string },
): string {
  const lines: string[] = [];
  let line = '';
  for (const word of words) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = width - (lines.length === 0 ? 0 : indent.length);
    if (line === '' || longer.length <= room) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].join(`\n${indent}`);
}
