/** Something about a text's bytes, in words for people; `at` is the offset whose line it names. */
export type Finding = { readonly at: number; readonly words: (line: number) => string };

/** The line at an offset, 1 = first. Line ends are LF, or CR where there is no LF before. */
export async function lineAt(bytes: AsyncIterable<Buffer>, offset: number): Promise<number> {
  let feeds = 0;
  let returns = 0;
  let left = offset;
  for await (const block of bytes) {
    const part = block.subarray(0, left);
    feeds += count(part, 0x0a);
    returns += count(part, 0x0d);
    left -= part.length;
    if (left === 0) break;
  }
  return 1 + (feeds === 0 ? returns : feeds);
}

function count(bytes: Buffer, byte: number): number {
  let found = 0;
  for (let at = bytes.indexOf(byte); at !== -1; at = bytes.indexOf(byte, at + 1)) found += 1;
  return found;
}
