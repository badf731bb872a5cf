#!/usr/bin/env node
// src/ becomes dist/: compiled, other files copied as they are, leftovers of deleted sources removed; then the program is
// bundled with what it imports, since Node takes longer to find and load the 700 files one by one than the program to work.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const CHUNK_NAMES = 'part-[name]-[hash].js';
const ENTRY = join(DIST, 'main.js');

process.exitCode = await build(new Date());

async function build(began) {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  // Half a build would count as done the next time.
  const { status } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', '--noEmitOnError'], {
    cwd: ROOT,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) return status ?? 1;
  copyOthers();
  removeLeftovers();
  await bundle();
  chmodSync(ENTRY, 0o755);
  // scripts/setup/gather-facts.mjs compares sources with this date.
  utimesSync(ENTRY, began, began);
  return 0;
}

/** All modules go into one file that both entries import; what is imported only when it is needed stays in files of its own beside it. */
async function bundle() {
  const input = { main: ENTRY, 'cli/process': join(DIST, 'cli', 'process.js') };
  const program = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  await program.write({
    dir: DIST,
    entryFileNames: '[name].js',
    chunkFileNames: CHUNK_NAMES,
    sourcemap: true,
    // Node keeps a program's text in memory: without comments and indentation a run takes 15 MB less.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await program.close();
}

/** Everything that is no TypeScript, such as Lua scripts. */
function copyOthers() {
  for (const path of filesIn(SRC).filter((name) => !name.endsWith('.ts'))) {
    mkdirSync(dirname(join(DIST, path)), { recursive: true });
    copyFileSync(join(SRC, path), join(DIST, path));
  }
}

function removeLeftovers() {
  for (const path of filesIn(DIST)) {
    const source = path.replace(/\.js(\.map)?$/, '.ts');
    if (!existsSync(join(SRC, source)) && !existsSync(join(SRC, path))) rmSync(join(DIST, path));
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
}
