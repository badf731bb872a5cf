/** A file's first characters, from which its type, header and delimiter are told. */
export type FileHead = {
  readonly bom: boolean;
  /** Without the byte order mark. */
  readonly text: string;
  /** The whole file is in `text`. */
  readonly whole: boolean;
};

/** Large enough for any header that makes sense; a longer one is refused. */
export const HEAD_CHARS = 256 * 1024;

/** Takes the head off the front of the texts, which go on after it. */
export async function readHead(texts: AsyncIterator<string>): Promise<FileHead> {
  let text = '';
  let whole = false;
  while (!whole && text.length < HEAD_CHARS) {
    const next = await texts.next();
    if (next.done) whole = true;
    else text += next.value;
  }
  const bom = text.startsWith('\uFEFF');
  return { bom, text: bom ? text.slice(1) : text, whole };
}
