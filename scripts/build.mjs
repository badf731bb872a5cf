#!/usr/bin/env node
// src/ becomes dist/: compiled, other files copied as they are, leftovers of deleted sources
// removed; then the program is bundled with what it imports, since Node takes longer to find and
// load the 700 files one by one than the program to work.
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
import { luaScripts } from './lua/compose.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const SRC = join(ROOT, 'src');
const DIST = join(ROOT, 'dist');
const CHUNK_NAMES = 'part-[name]-[hash].js';
const ENTRY = join(DIST, 'main.js');

/**
 * Of undici the two names that the program imports, and a pool's method CONNECT, which the index
 * adds: that comes with fetch, caches and mocks, a sixth of the whole start.
 */
const UNDICI = {
  name: 'undici',
  resolveId: (id) => (id === 'undici' ? '\0undici' : null),
  load: (id) =>
    id === '\0undici'
      ? `import connect from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
export { default as buildConnector } from 'undici/lib/core/connect.js';
Pool.prototype.connect = connect;
export { Pool };`
      : null,
};

/**
 * V8 (before Node 24) compiles an arrow function twice that is called as soon as it is met, once to
 * pass over it, and a function in brackets once: so are the libraries' modules wrapped, nearly all
 * of which are called at the start.
 */
const WRAPPED_AS_FUNCTIONS = {
  name: 'wrapped-as-functions',
  renderChunk: (code) => ({
    code: code.replaceAll(/__commonJSMin\(\(\(([\w, ]*)\) => \{/g, '__commonJSMin((function($1) {'),
    // No line moves, and no place within the functions.
    map: null,
  }),
};

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
  await bundlePage();
  chmodSync(ENTRY, 0o755);
  // scripts/setup/gather-facts.mjs compares sources with this date.
  utimesSync(ENTRY, began, began);
  return 0;
}

/**
 * What every start needs goes into one file, what several commands share into a second one, what a
 * single command needs into one of its own: Node takes longer to find ten small files than to load
 * a large one.
 */
async function bundle() {
  const input = { main: ENTRY, 'faces/cli/process': join(DIST, 'faces', 'cli', 'process.js') };
  const program = await rolldown({
    input,
    platform: 'node',
    logLevel: 'warn',
    // It reads its scripts beside itself.
    external: ['@pnpm/tabtab'],
    // BullMQ's and its libraries' ES modules, of which what nobody imports is left out: clients for
    // other databases, sandboxes.
    resolve: { mainFields: ['module', 'main'] },
    treeshake: { moduleSideEffects: [{ test: /node_modules\/bullmq\//, sideEffects: false }] },
    plugins: [UNDICI, WRAPPED_AS_FUNCTIONS, luaScripts()],
  });
  await program.write({
    dir: DIST,
    entryFileNames: '[name].js',
    chunkFileNames: CHUNK_NAMES,
    sourcemap: true,
    codeSplitting: {
      groups: [
        // The entry waits for the rest, so that it can't be in one file with it.
        { name: 'core', tags: ['$initial'], test: (id) => id !== ENTRY, priority: 2 },
        { name: 'commands', minShareCount: 2, priority: 1 },
      ],
    },
    // Node keeps a program's text in memory: without comments and indentation a run takes 15 MB
    // less.
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await program.close();
}

/** What the page's browsers get: one script, from sources that are compiled by nobody else. */
async function bundlePage() {
  const script = await rolldown({
    input: join(SRC, 'faces', 'web', 'browser', 'page.ts'),
    platform: 'browser',
    logLevel: 'warn',
  });
  await script.write({ file: join(DIST, 'faces', 'web', 'browser.js'), format: 'iife', minify: true });
  await script.close();
}

/** Everything that is no TypeScript, such as Lua scripts and the page's style. */
function copyOthers() {
  for (const path of filesIn(SRC).filter((name) => !/\.tsx?$|\.md$|tsconfig\.json$/.test(name))) {
    mkdirSync(dirname(join(DIST, path)), { recursive: true });
    copyFileSync(join(SRC, path), join(DIST, path));
  }
}

function removeLeftovers() {
  for (const path of filesIn(DIST)) {
    const sources = [path, ...['.ts', '.tsx'].map((ending) => path.replace(/\.js(\.map)?$/, ending))];
    if (!sources.some((source) => existsSync(join(SRC, source)))) rmSync(join(DIST, path));
  }
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true }).filter((name) => statSync(join(folder, name)).isFile());
}
