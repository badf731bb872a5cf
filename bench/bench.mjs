#!/usr/bin/env node
// `npm run bench`: bundles the bench and its peers, as the program itself is bundled, and runs it
// (Node 20 runs no TypeScript). All that it needs lies in one folder of the checkout: a /tmp in
// memory would make every fsync free.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '..');
const OWN = join(ROOT, '.onboard', 'bench');

/** Name in the bundle → source; all but the first run as processes of their own. */
const ENTRIES = {
  main: 'main.ts',
  'bare-loop': 'peers/bare-loop.ts',
  'fetch-script': 'peers/fetch-script.ts',
  'job-per-row': 'peers/job-per-row.ts',
  'csv-objects': 'peers/csv-objects.ts',
  service: 'service.ts',
};

mkdirSync(OWN, { recursive: true });
const work = mkdtempSync(join(OWN, `work-${process.pid}-`));
try {
  const code = join(work, 'code');
  await bundle(code);
  const { runBench } = await import(pathToFileURL(join(code, 'main.js')).href);
  process.exitCode = await runBench({ root: ROOT, work, code }, process.argv.slice(2));
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function bundle(dir) {
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(HERE, path)]));
  const program = await rolldown({ input, platform: 'node', logLevel: 'warn' });
  await program.write({ dir, entryFileNames: '[name].js', chunkFileNames: 'part-[name]-[hash].js' });
  await program.close();
}
