/**
 * The page's style and script, in memory and named by a hash, so that browsers keep them for good.
 * Built by scripts/build.mjs.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shortDigest } from '../../lib/digest.ts';
import { programFile } from '../../lib/version.ts';
import { pageStyle } from '../../runs/report/html/style.ts';

type Asset = { readonly type: string; readonly text: string };
export type AssetPaths = { readonly style: string; readonly script: string };
export type Assets = { readonly paths: AssetPaths; find(path: string): Asset | undefined };

const HASH = 16;

export function createAssets(style: string, script: string): Assets {
  const named = (text: string, ending: string) => `/assets/${shortDigest(text, HASH)}.${ending}`;
  const paths = { style: named(style, 'css'), script: named(script, 'js') };
  const byPath = new Map([
    [paths.style, { type: 'text/css; charset=utf-8', text: style }],
    [paths.script, { type: 'text/javascript; charset=utf-8', text: script }],
  ]);
  return { paths, find: (path) => byPath.get(path) };
}

export function readAssets(): Assets {
  const folder = join(dirname(programFile()), 'faces', 'web');
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return createAssets(pageStyle(read('style.css')), read('browser.js'));
}
