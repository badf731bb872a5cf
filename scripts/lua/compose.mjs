/**
 * The ledger's scripts are `.lua` files; the build and the tests' loader put each together with the
 * parts that it includes, so that a program has them as texts and reads no file for them. A line
 * `--- @include "parts/name"` stands for that file, from the folder of the script; a part that
 * several others include stands there once. Comments stay behind.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const INCLUDE = /^--- @include "([^"]+)"$/;
const COMMENT = /^\s*--/;

/**
 * @param {string} path of a script, the folder `parts` beside it
 * @returns {readonly { path: string, line: number, text: string }[]} its lines, with where each stands
 */
export function linesOf(path) {
  const folder = dirname(path).replace(/\/parts$/, '');
  const included = new Set();
  const linesIn = (file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((text, i) => {
        const [, name] = INCLUDE.exec(text) ?? [];
        if (name === undefined)
          return COMMENT.test(text) || text === '' ? [] : { path: file, line: i + 1, text };
        const part = join(folder, `${name}.lua`);
        if (included.has(part)) return [];
        included.add(part);
        return linesIn(part);
      });
  return linesIn(path);
}

/** For rolldown and for Vite: `import TEXT from './script.lua'`. */
export function luaScripts() {
  return {
    name: 'lua-scripts',
    enforce: 'pre',
    load(id) {
      if (!id.endsWith('.lua')) return null;
      const lines = linesOf(id);
      for (const { path } of lines) this.addWatchFile(path);
      const text = lines.map((line) => line.text);
      return { code: `export default ${JSON.stringify(text.join('\n'))};`, moduleType: 'js' };
    },
  };
}
