/**
 * The built program as processes of one Node, in a folder of their own, with the stand-in service
 * and what it really made.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const MAIN = join(ROOT, 'dist', 'main.js');
const LOOK_MS = 20;
const PATIENCE_MS = 120_000;

/** What a part has to work with; `end` ends whatever it has started. */
export async function openProgram({ node, path, folder }, sandboxFlags = []) {
  const running = new Set();
  const own = { PATH: path, ONBOARD_HOME: join(folder, 'home'), ONBOARD_JOBS: join(ROOT, 'jobs') };
  const start = (args, env = own) => {
    const child = spawn(node, [MAIN, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const text = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (piece) => {
        text[name] += piece;
      });
    running.add(child);
    const ended = once(child, 'close').then(() => {
      running.delete(child);
      return { exitCode: child.exitCode, ...text };
    });
    return { child, text, ended };
  };
  const sandbox = start(['sandbox', '--port', '0', '--json', ...sandboxFlags]);
  await until(() => sandbox.text.stdout.includes('\n') || sandbox.child.exitCode !== null);
  const { url, token } = JSON.parse(sandbox.text.stdout);
  const env = { ...own, MSB_BASE_URL: url, MSB_TOKEN: token };
  return {
    folder,
    start: (args) => start(args, env),
    /** To its end, which must be one of these statuses; answers what it printed. */
    async carryOut(args, statuses) {
      const { exitCode, stdout, stderr } = await start(args, env).ended;
      if (!statuses.includes(exitCode))
        throw new Error(
          `onboard ${args.join(' ')} ended with ${exitCode}, expected ${statuses}: ${stderr}${stdout}`,
        );
      return stdout;
    },
    stats: async () => (await fetch(`${url}/sandbox/stats`)).json(),
    async keys() {
      const entities = await (await fetch(`${url}/sandbox/entities?kind=subclient`)).json();
      return entities.map(({ key }) => key);
    },
    async end() {
      const ends = [...running].map((child) => {
        child.kill('SIGKILL');
        return once(child, 'close');
      });
      await Promise.all(ends);
      for (const file of pidFilesIn(join(own.ONBOARD_HOME, 'redis'))) endServer(file);
    },
  };
}

/** Of the servers that had this home, one after the other. */
function pidFilesIn(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name, 'redis.pid'));
}

/** What a killed program leaves running, where nothing came after it that ended it. */
function endServer(pidFile) {
  try {
    process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGTERM');
  } catch {
    // It has ended in order.
  }
}

/** Looks again and again until it is so. */
export async function until(isSo) {
  const from = performance.now();
  while (!(await isSo())) {
    if (performance.now() - from > PATIENCE_MS) throw new Error(`waited in vain for ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
