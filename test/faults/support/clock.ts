import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';

/** The wall clock of programs that a test starts; what measures durations is not touched by it. */
export type Clock = {
  /** With this environment a program has that clock. */
  readonly env: Readonly<Record<string, string>>;
  /** From now on it is off by that much, in programs that run already too. */
  setOff(seconds: number): Promise<void>;
  /** By how much it is off, s. */
  off(): number;
};

const SOURCE = fileURLToPath(new URL('./clock-jump.c', import.meta.url));
const OFFSET_BYTES = 8;

/** Answers what makes clocks of one test's own; `null` where there is no C compiler, or no preloading of libraries. */
export async function prepareClocks(): Promise<((name: string) => Promise<Clock>) | null> {
  if (process.platform !== 'linux') return null;
  const folder = await mkdtemp(join(tmpdir(), 'onboard-clock-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const library = join(folder, 'clock-jump.so');
  const args = ['-O2', '-shared', '-fPIC', '-o', library, SOURCE];
  const isBuilt = await promisify(execFile)('cc', args).then(
    () => true,
    () => false,
  );
  return isBuilt ? (name) => createClock(library, join(folder, name)) : null;
}

async function createClock(library: string, path: string): Promise<Clock> {
  let off = 0;
  const setOff = async (seconds: number) => {
    off = seconds;
    const bytes = Buffer.alloc(OFFSET_BYTES);
    bytes.writeBigInt64LE(BigInt(seconds));
    // Programs look into this very file: it is never another one.
    const file = await open(path, 'r+').catch(() => open(path, 'w'));
    await file.write(bytes, 0, OFFSET_BYTES, 0);
    await file.close();
  };
  await setOff(0);
  return { env: { LD_PRELOAD: library, ONBOARD_TEST_CLOCK: path }, setOff, off: () => off };
}
