/**
 * How often a Redis wrote, from its append-only file: what a script or a transaction wrote stands there between MULTI and EXEC, or alone
 * where it was a single command. With `appendfsync always` each of them ends in an fsync, which those that come together share.
 */

import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** In the folder of a server that has never rewritten its file; an Error where there is none (Redis before 7). */
export async function countWrites(folder: string): Promise<number> {
  const place = join(folder, 'appendonlydir');
  const names = (await readdir(place)).filter((name) => name.endsWith('.incr.aof'));
  if (names.length !== 1) throw new Error(`${place}: expected one .incr.aof, not ${names.length}`);
  const counter = createWriteCounter();
  for await (const piece of createReadStream(join(place, ...names))) counter.add(piece);
  return counter.writes();
}

type WriteCounter = {
  /** The next piece of the file, of any length. */
  add(piece: Buffer): void;
  writes(): number;
};

export function createWriteCounter(): WriteCounter {
  let rest: Buffer = Buffer.alloc(0);
  let writes = 0;
  let isWithin = false;
  const count = (name: string) => {
    if (name === 'MULTI') isWithin = true;
    else if (name === 'EXEC') isWithin = false;
    // Written by the server itself, before what goes to another database.
    if (name !== 'SELECT' && (name === 'EXEC' || !isWithin)) writes += 1;
  };
  return {
    add(piece) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      let at = 0;
      for (let command = commandAt(rest, at); command !== null; command = commandAt(rest, at)) {
        count(command.name);
        at = command.end;
      }
      rest = rest.subarray(at);
    },
    writes: () => writes,
  };
}

type Command = { readonly name: string; readonly end: number };

/** `*<words>`, then for each word `$<bytes>` and the word; `null` while the command is not whole. */
function commandAt(buffer: Buffer, from: number): Command | null {
  const words = numberAt(buffer, from, '*');
  if (words === null) return null;
  let end = words.end;
  let name = '';
  for (let word = 0; word < words.value; word += 1) {
    const length = numberAt(buffer, end, '$');
    if (length === null) return null;
    end = length.end + length.value + 2;
    if (end > buffer.length) return null;
    if (word === 0) name = buffer.toString('latin1', length.end, end - 2).toUpperCase();
  }
  return { name, end };
}

function numberAt(
  buffer: Buffer,
  from: number,
  sign: '*' | '$',
): { readonly value: number; readonly end: number } | null {
  const lineEnd = buffer.indexOf('\r\n', from);
  if (lineEnd === -1) return null;
  const line = buffer.toString('latin1', from, lineEnd);
  if (!/^.\d+$/.test(line) || line[0] !== sign)
    throw new Error(
      `the append-only file has "${line.slice(0, 40)}" where ${sign} and a number were expected`,
    );
  return { value: Number(line.slice(1)), end: lineEnd + 2 };
}
