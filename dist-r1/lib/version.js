/** The program's own version, from package.json. */
import { createRequire } from 'node:module';
import { z } from 'zod';
const packageSchema = z.object({ version: z.string() });
export function programVersion() {
    // By the package's own name: the bundle lies elsewhere than the source.
    return packageSchema.parse(createRequire(import.meta.url)('onboard/package.json')).version;
}
//# sourceMappingURL=version.js.map