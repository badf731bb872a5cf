import { Writable } from 'node:stream';
import type { Io } from '../lib/terminal.ts';

/** The terminal for runs that share it: what several of them say one after the other is said once, and none has a progress bar. */
export function sharedIo(io: Io): Io {
  let last = '';
  const stderr = new Writable({
    decodeStrings: false,
    write(chunk: unknown, _encoding, done) {
      const text = String(chunk);
      if (text !== last) io.stderr.write(text);
      last = text;
      done();
    },
  });
  return { ...io, stderr };
}
