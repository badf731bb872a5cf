import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SRC = fileURLToPath(new URL('../../src/', import.meta.url));
const SAMPLE = ['subclients-create', join('samples', 'subclients-create.csv')];

/**
 * The files of src/ of which a function runs while `onboard run` takes one CSV file to its report,
 * as V8 counted it in that process: the stand-in service runs in another one, uncounted. Needs a
 * build.
 */
export async function filesOnRowsWay(root) {
  const work = mkdtempSync(join(tmpdir(), 'onboard-house-'));
  const main = join(root, 'dist', 'main.js');
  const sandbox = spawn(process.execPath, [main, 'sandbox', '--port', '0', '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = await addressOf(sandbox);
    // Loading modules and declaring the command is on nobody's way: what its help does too doesn't
    // count.
    const idle = await countsOf([main, 'run', '--help'], { folder: join(work, 'idle'), root, env: {} });
    const busy = await countsOf([main, 'run', ...SAMPLE, '--json'], {
      folder: join(work, 'busy'),
      root,
      env: { MSB_BASE_URL: url, MSB_TOKEN: 'sandbox-token', ONBOARD_HOME: join(work, 'home') },
    });
    return filesOf(
      [...busy].filter(([place, count]) => count > (idle.get(place) ?? 0)).map(([place]) => place),
    );
  } finally {
    sandbox.kill();
    rmSync(work, { recursive: true, force: true });
  }
}

async function addressOf(sandbox) {
  for await (const line of createInterface({ input: sandbox.stdout })) {
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error('the sandbox ended before it named its address');
}

/** How often each function of the program ran: `path:offset` → times. */
async function countsOf(command, { folder, root, env }) {
  const child = spawn(process.execPath, command, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'ignore'],
    env: { PATH: process.env.PATH, ...env, NODE_V8_COVERAGE: folder },
  });
  await new Promise((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const scripts = readdirSync(folder).flatMap(
    (name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).result,
  );
  const own = scripts.filter(({ url }) => url.startsWith('file:') && !url.includes('/node_modules/'));
  return new Map(
    own.flatMap(({ url, functions }) =>
      functions.map(({ ranges: [whole] }) => [`${fileURLToPath(url)}:${whole.startOffset}`, whole.count]),
    ),
  );
}

/** The sources in which the functions at those places were written. */
function filesOf(places) {
  const scripts = new Map();
  const files = new Set();
  for (const place of places) {
    const [path, offset] = place.split(/:(?=\d+$)/);
    if (!scripts.has(path)) scripts.set(path, sourceFinder(path));
    const source = scripts.get(path)(Number(offset));
    if (source !== null) files.add(source);
  }
  return files;
}

function sourceFinder(path) {
  // The bundler's own few lines have no map.
  if (!existsSync(`${path}.map`)) return () => null;
  const map = new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  const placeOf = placesOf(readFileSync(path, 'utf8'));
  return (offset) => {
    const { originalSource } = map.findEntry(...placeOf(offset));
    if (originalSource === undefined || originalSource.includes('node_modules')) return null;
    const stem = originalSource.replace(/^(?:.*\/dist\/|(?:\.\.?\/)*)/, '').replace(/\.js$/, '');
    return existsSync(join(SRC, `${stem}.tsx`)) ? `${stem}.tsx` : `${stem}.ts`;
  };
}

/** Offset → line and column, both from 0. */
function placesOf(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle - 1;
    }
    return [low, offset - starts[low]];
  };
}
