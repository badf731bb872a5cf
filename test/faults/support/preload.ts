import { fileURLToPath, pathToFileURL } from 'node:url';

/** The preloads beside this file. */
export type Preload = 'crash-point' | 'crash-at-rename' | 'block-on-signal';

/** The environment with which the program runs one of them before itself. */
export function preloadEnv(name: Preload): { readonly NODE_OPTIONS: string } {
  const path = fileURLToPath(new URL(`./${name}.mjs`, import.meta.url));
  return { NODE_OPTIONS: `--import=${pathToFileURL(path).href}` };
}
