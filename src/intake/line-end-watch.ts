/** Takes a text's bytes block by block, to tell at its end whether the last line was written to its end. */
export type LineEndWatch = {
  add(block: Buffer): void;
  /** Whether the last line has no end though two lines or more have one, as in a table of two rows. */
  isUnended(): boolean;
};

const LF = 0x0a;
const CR = 0x0d;
const NUL = 0;
const ENOUGH = 2;

export function createLineEndWatch(): LineEndWatch {
  const ended = new Map([
    [LF, 0],
    [CR, 0],
  ]);
  let last: readonly number[] = [];
  return {
    add(block) {
      for (const [byte, found] of ended) {
        if (found < ENOUGH) ended.set(byte, found + count(block, byte));
      }
      last = [...last, ...block.subarray(-2)].slice(-2);
    },
    isUnended() {
      const byte = last.at(-1);
      // In UTF-16LE a line end has its NUL byte behind it.
      const isTable = [...ended.values()].some((found) => found >= ENOUGH);
      return isTable && !isLineEnd(byte) && !(byte === NUL && isLineEnd(last[0]));
    },
  };
}

function isLineEnd(byte: number | undefined): boolean {
  return byte === LF || byte === CR;
}

function count(block: Buffer, byte: number): number {
  let found = 0;
  for (let at = block.indexOf(byte); at !== -1 && found < ENOUGH; at = block.indexOf(byte, at + 1))
    found += 1;
  return found;
}
