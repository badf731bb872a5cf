/** A fenced block of a Markdown document. */
export type Block = {
  readonly language: string;
  /** What stands behind the language: `name=value` and bare names, whose value is ''. */
  readonly info: ReadonlyMap<string, string>;
  readonly text: string;
  /** The line of the document on which its text starts, 1 = first. */
  readonly line: number;
};

/** The blocks of a document in that language, in order. */
export function blocksIn(document: string, language: string): readonly Block[] {
  return [...document.matchAll(/^```([^\n]*)\n(.*?)^```$/gms)].flatMap((found) => {
    const [whole, heading = '', text = ''] = found;
    const [name = '', ...info] = heading.trim().split(/\s+/);
    if (name !== language) return [];
    const line = document.slice(0, found.index + whole.indexOf('\n') + 1).split('\n').length;
    return [{ language, info: new Map(info.map(pairOf)), text, line }];
  });
}

/** The document without its blocks. */
export function proseOf(document: string): string {
  return document.replaceAll(/^```[^\n]*\n.*?^```$/gms, '');
}

function pairOf(text: string): readonly [string, string] {
  const [name = '', value = ''] = text.split('=', 2);
  return [name, value];
}
