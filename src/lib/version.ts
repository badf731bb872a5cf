/**
 * The program's version, and the file that starts it. By the package's name, since the bundle lies
 * elsewhere than the source.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

export function programVersion(): string {
  return packageSchema.parse(createRequire(import.meta.url)('onboard/package.json')).version;
}

/** The built program, to be started as another process. */
export function programFile(): string {
  const own = createRequire(import.meta.url).resolve('onboard/package.json');
  return join(dirname(own), 'dist', 'main.js');
}
