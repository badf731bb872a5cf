import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { type Summary, summarySchema } from '../../src/report/summary.ts';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import { type AtTestEnd, atTestEnd } from './at-test-end.ts';
import { addWitness } from './until.ts';

export { until } from './until.ts';

/** The built program: what a user runs. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const JOBS = fileURLToPath(new URL('../../jobs', import.meta.url));
const TOKEN = 'flow-token';
/** Of a test that waits in vain: what was started last, and what it said last, in characters. */
const COMMANDS_SHOWN = 5;
const STDERR_SHOWN = 1_000;

type Command = {
  readonly child: ChildProcess;
  readonly args: readonly string[];
  readonly text: { stdout: string; stderr: string };
};

export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

export type Started = {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
};

/** A home, a service and the program between them, all of one test's own. */
export type Flow = {
  readonly home: string;
  readonly sandbox: Sandbox;
  /** Writes a file of the test's own and answers its path. */
  file(name: string, content: string): Promise<string>;
  start(args: readonly string[], env?: Readonly<Record<string, string>>): Started;
  /** Carries a command to its end. */
  onboard(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>;
  /** What a command that only reads prints, carried out in this process: starting one for every look takes a second. */
  look(args: readonly string[]): Promise<string>;
  /** `onboard run … --json` to its end; the control total holds, or the test fails. */
  run(
    args: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Ended & { readonly summary: Summary }>;
  /** A report file's text. */
  report(summary: Pick<Summary, 'run'>, name: string): Promise<string>;
  results(summary: Summary): Promise<Array<Record<string, string>>>;
};

/** A concurrent test gives its own `onTestFinished`. */
export async function startFlow(options: SandboxOptions = {}, atEnd: AtTestEnd = atTestEnd): Promise<Flow> {
  const home = await mkdtemp(join(tmpdir(), 'onboard-flow-'));
  const sandbox = await startSandbox({ tokens: [TOKEN], ...options });
  const running = new Map<ChildProcess, Promise<Ended>>();
  const started: Command[] = [];
  const words = () => started.slice(-COMMANDS_SHOWN).map(wordsOf).join('\n');
  const forget = addWitness(words);
  atEnd(async ({ task }) => {
    forget();
    if (task.result?.state === 'fail') process.stderr.write(`${task.name}:\n${words()}\n`);
    for (const child of running.keys()) child.kill('SIGKILL');
    // One that is still ending could start the Redis again that is stopped below.
    await Promise.allSettled(running.values());
    await sandbox.close();
    await stopLeftRedis(home);
    await rm(home, { recursive: true, force: true });
  });

  const own = {
    PATH: process.env.PATH ?? '',
    ONBOARD_HOME: home,
    ONBOARD_JOBS: JOBS,
    MSB_BASE_URL: sandbox.url,
    MSB_TOKEN: TOKEN,
  };
  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Started => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...own, ...env },
    });
    const text = { stdout: '', stderr: '' };
    const ended = collect(child, text).finally(() => running.delete(child));
    running.set(child, ended);
    started.push({ child, args, text });
    return { child, ended };
  };
  const onboard: Flow['onboard'] = (args, env) => start(args, env).ended;
  const report: Flow['report'] = (summary, name) =>
    readFile(join(home, 'reports', summary.run, name), 'utf8');

  return {
    home,
    sandbox,
    start,
    onboard,
    look: (args) => lookHere(args, own),
    report,
    async file(name, content) {
      const path = join(home, name);
      await writeFile(path, content);
      return path;
    },
    async run(args, env) {
      const ended = await onboard(['run', ...args, '--json'], env);
      const line = ended.stdout.trim().split('\n').at(-1) ?? '';
      expect(line, `no summary; stderr: ${ended.stderr}`).not.toBe('');
      const summary = summarySchema.parse(JSON.parse(line));
      expect(summary.controlTotal.holds, 'the control total').toBe(true);
      return { ...ended, summary };
    },
    results: async (summary) => parse(await report(summary, 'results.csv'), { columns: true }),
  };
}

async function collect(child: ChildProcess, text: { stdout: string; stderr: string }): Promise<Ended> {
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk;
  });
  await once(child, 'close');
  return { exitCode: child.exitCode, ...text };
}

async function lookHere(args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const { onboard } = await import('../cli/memory-io.ts');
  const { exitCode, stdout, stderr } = await onboard(args, env);
  expect(exitCode, stderr).toBe(0);
  return stdout;
}

function wordsOf({ child, args, text }: Command): string {
  const { exitCode, signalCode } = child;
  const state = exitCode === null && signalCode === null ? 'is at work' : `ended: ${exitCode ?? signalCode}`;
  return `onboard ${args.join(' ')} ${state}; stderr: ${text.stderr.slice(-STDERR_SHOWN).trim()}`;
}

/** A killed command leaves its Redis for the next one; after the test there is none. */
async function stopLeftRedis(home: string): Promise<void> {
  const { joinEmbeddedRedis } = await import('../../src/redis/embedded.ts');
  const server = await joinEmbeddedRedis(home);
  await server.close();
}

/** A CSV of subclients with keys K1…Kn. */
export function subclientsCsv(rows: number, prefix = 'K'): string {
  const lines = Array.from({ length: rows }, (_, i) => `${prefix}${i + 1},Company ${i + 1} Ltd`);
  return ['externalId,details.name', ...lines, ''].join('\n');
}
