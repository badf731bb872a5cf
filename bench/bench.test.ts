import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../test/house/source-files.ts';
import { until } from '../test/support/until.ts';
import { resultsSchema } from './results.ts';

type Bench = { readonly child: ChildProcess; readonly out: string; readonly said: { text: string } };

/** `npm run bench` without the build, its results in a folder of the test's own. */
async function startBench(...args: readonly string[]): Promise<Bench> {
  const out = await mkdtemp(join(tmpdir(), 'onboard-bench-'));
  const script = join(ROOT, 'bench', 'bench.mjs');
  const child = spawn(process.execPath, [script, ...args, '--out', out], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      said.text += chunk;
    });
  }
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    await rm(out, { recursive: true, force: true });
  });
  return { child, out, said };
}

test('a small bench measures, says so, and leaves nothing but its results', async () => {
  const bench = await startBench('--only', 'bare,start', '--rows', '300', '--rounds', '1');
  const [exitCode] = await once(bench.child, 'close');
  expect(exitCode, bench.said.text).toBe(0);
  const results = resultsSchema.parse(
    JSON.parse(await readFile(join(bench.out, 'performance.json'), 'utf8')),
  );
  const cpu = existsSync('/proc/stat') ? ['cpu'] : [];
  expect(results.figures.map(({ id }) => id)).toEqual([...cpu, 'bare', 'start']);
  expect(results.figures.flatMap(({ values }) => values).filter((value) => !(value > 0))).toEqual([]);
  expect(bench.said.text).toMatch(/rows\/s against a bare loop .* (met|not counted)\n/);
  expect(await readdir(bench.out)).toEqual(['performance.json', 'performance.svg']);
  expect(await commandsOf(bench)).toEqual([]);
});

test('Ctrl-C ends a bench with everything that it has started', async () => {
  const bench = await startBench('--only', 'million', '--quick');
  await until(async () => (await commandsOf(bench)).some((command) => command.includes('unixsocket')));
  bench.child.kill('SIGINT');
  bench.child.kill('SIGINT');
  const [exitCode] = await once(bench.child, 'close');
  expect(exitCode, bench.said.text).toBe(130);
  expect(await commandsOf(bench)).toEqual([]);
  expect(await readdir(bench.out)).toEqual([]);
});

/**
 * The processes that have something to do with the bench's own folder, which is gone with it: by their arguments, or by the folder that
 * they are in, since an embedded Redis shows no path.
 */
async function commandsOf({ child }: Bench): Promise<readonly string[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-ww', '-o', 'pid=,args=']);
  const commands = stdout.split('\n').map((line) => line.trim());
  const folders = await Promise.all(
    commands.map((line) => readlink(`/proc/${Number.parseInt(line, 10)}/cwd`).catch(() => '')),
  );
  return commands.filter((line, i) => `${line} ${folders[i]}`.includes(`/.onboard/bench/work-${child.pid}-`));
}
