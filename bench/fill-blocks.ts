/** The page with every block between its marks made anew, by their names; an Error where a mark is missing. */
export function fillBlocks(page: string, blocks: Readonly<Record<string, string>>): string {
  return Object.entries(blocks).reduce((text, [name, content]) => {
    const [before, rest] = cut(text, `<!-- bench: ${name} -->\n`);
    const [, after] = cut(rest, `<!-- bench: end of ${name} -->`);
    return `${before}<!-- bench: ${name} -->\n\n${content}\n\n<!-- bench: end of ${name} -->${after}`;
  }, page);
}

function cut(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  if (at === -1) throw new Error(`the page has no line ${mark.trim()}`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
