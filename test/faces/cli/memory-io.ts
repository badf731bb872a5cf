import { Writable } from 'node:stream';
import { runProgram } from '../../../src/faces/cli/program.ts';
import type { Io } from '../../../src/lib/terminal.ts';

/** A stream that keeps what is written to it. */
export class MemoryStream extends Writable {
  text = '';
  readonly isTTY: boolean;
  constructor(isTTY = false) {
    super({ decodeStrings: false });
    this.isTTY = isTTY;
  }
  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

export type MemoryIo = Io & { readonly stdout: MemoryStream; readonly stderr: MemoryStream };

export function memoryIo(over: Partial<Pick<Io, 'env' | 'interrupted' | 'typed'>> = {}): MemoryIo {
  return {
    stdout: new MemoryStream(),
    stderr: new MemoryStream(),
    env: {},
    typed: 'onboard',
    interrupted: new AbortController().signal,
    ...over,
  };
}

export type Said = { readonly exitCode: number; readonly stdout: string; readonly stderr: string };

/** Carries one command line out in this process. */
export async function onboard(args: readonly string[], env: Io['env'] = {}): Promise<Said> {
  const io = memoryIo({ env });
  const exitCode = await runProgram(args, io);
  return { exitCode, stdout: io.stdout.text, stderr: io.stderr.text };
}
