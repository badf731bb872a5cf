import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

const packageSchema = z.object({ version: z.string() });

// By the package's own name: the bundle lies elsewhere than the source.
const ownRequire = createRequire(import.meta.url);
const PACKAGE = 'onboard/package.json';

/** The program's own version, from package.json. */
export function programVersion(): string {
  return packageSchema.parse(ownRequire(PACKAGE)).version;
}

/** The built program, to be started as a process of its own. */
export function programFile(): string {
  return join(dirname(ownRequire.resolve(PACKAGE)), 'dist', 'main.js');
}
