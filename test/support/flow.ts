import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { expect } from 'vitest';
import { joinEmbeddedRedis } from '../../src/engine/redis/embedded.ts';
import { takenFolder } from '../../src/engine/redis/lease.ts';
import { serverProcess } from '../../src/engine/redis/server-process.ts';
import { runProgram } from '../../src/faces/cli/program.ts';
import { shellWord } from '../../src/lib/terminal.ts';
import type { Times } from '../../src/lib/times.ts';
import { type Summary, summarySchema } from '../../src/runs/report/summary.ts';
import { type AtTestEnd, atTestEnd } from './at-test-end.ts';
import { takeDatabase } from './flow-redis.ts';
import { type RecordingOptions, type RecordingSandbox, startRecordingSandbox } from './recording-sandbox.ts';
import { addWitness } from './until.ts';

/** The built program: what a user runs. */
const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
/** The same, with times of the test's own. */
const WITH_TIMES = fileURLToPath(new URL('./with-times.mjs', import.meta.url));
const JOBS = fileURLToPath(new URL('../../jobs', import.meta.url));
const TOKEN = 'flow-token';
/** Of a test that waits in vain: what was started last, and what it said last, in characters. */
const COMMANDS_SHOWN = 5;
const STDERR_SHOWN = 1_000;
const AT_WORK = 'at work';

type Env = Readonly<Record<string, string>>;

/** A command that was given, for the words about it when its test fails. */
type Command = { readonly args: readonly string[]; readonly text: Text; state(): string };
type Text = { stdout: string; stderr: string };

export type Ended = { readonly exitCode: number | null; readonly stdout: string; readonly stderr: string };

/** A process of the built program. */
export type Started = { readonly child: ChildProcess; readonly ended: Promise<Ended> };

/** A command under way in this process. */
export type Begun = {
  readonly ended: Promise<Ended>;
  /** What it has written to stderr so far. */
  said(): string;
  /** What the first SIGINT does. */
  interrupt(): void;
};

export type FlowOptions = Omit<RecordingOptions, 'tokens'> & {
  /** Of all commands, beside what each is given. */
  readonly env?: Env;
  /** Beside the one that commands have by themselves, which is the last. */
  readonly tokens?: readonly string[];
  /** `embedded`: the one that the program starts in its home; or one by its URL; default: a database of its own in one that is there. */
  readonly redis?: string;
  /** How long processes wait for each other; default: the shipped times. */
  readonly times?: Times;
};

/**
 * A home, a service and commands between them, all of one test's own. Commands are carried out in this process; those whose
 * test is about processes (signals, deaths, several at once, the build) are started as such.
 */
export type Flow = {
  readonly home: string;
  readonly sandbox: RecordingSandbox;
  /** '' where the program starts its own. */
  readonly redisUrl: string;
  /** Writes a file of the test's own and answers its path. */
  file(name: string, content: string): Promise<string>;
  /** Starts the built program; `within`: a command line that runs what is added to it. */
  start(args: readonly string[], env?: Env, within?: readonly string[]): Started & Pick<Begun, 'said'>;
  /** Begins a command in this process. */
  begin(args: readonly string[], env?: Env): Begun;
  /** Carries a command out in this process. */
  onboard(args: readonly string[], env?: Env): Promise<Ended>;
  /** What a command that ends well prints. */
  look(args: readonly string[]): Promise<string>;
  /** `onboard run … --json` to its end, in this process; the control total holds, or the test fails. */
  run(args: readonly string[], env?: Env): Promise<Ended & { readonly summary: Summary }>;
  /** The same with rows (CSV) that become a file of their own; `job`: a shipped one's name, a definition's path, or its text (YAML). */
  load(job: string, rows: string, env?: Env): Promise<Ended & { readonly summary: Summary }>;
  /** A report file's text. */
  report(summary: Pick<Summary, 'run'>, name: string): Promise<string>;
  results(summary: Summary): Promise<Array<Record<string, string>>>;
};

/** A concurrent test gives its own `onTestFinished`. */
export async function startFlow(options: FlowOptions = {}, atEnd: AtTestEnd = atTestEnd): Promise<Flow> {
  const { redis, times, env = {}, tokens = [], ...sandboxOptions } = options;
  const home = await mkdtemp(join(tmpdir(), 'onboard-flow-'));
  const database = redis === undefined ? await takeDatabase() : null;
  const redisUrl = redis === 'embedded' ? '' : (redis ?? database?.url ?? '');
  const sandbox = await startRecordingSandbox({ ...sandboxOptions, tokens: [...tokens, TOKEN] });
  const commands = createCommands(
    {
      PATH: process.env.PATH ?? '',
      // All scenarios hold for sealed ledgers too.
      ONBOARD_ENCRYPTION_KEY: process.env.ONBOARD_ENCRYPTION_KEY ?? '',
      ONBOARD_HOME: home,
      ONBOARD_JOBS: JOBS,
      MSB_BASE_URL: sandbox.url,
      MSB_TOKEN: TOKEN,
      ...(redisUrl !== '' && { REDIS_URL: redisUrl }),
      ...env,
    },
    times,
  );
  const forget = addWitness(commands.words);
  atEnd(async ({ task }) => {
    forget();
    if (task.result?.state === 'fail') process.stderr.write(`${task.name}:\n${commands.words()}\n`);
    // One that is still ending could start the Redis again that is stopped below.
    await commands.end();
    await sandbox.close();
    await stopLeftRedis(home);
    await database?.empty();
    await rm(home, { recursive: true, force: true });
  });

  const { start, begin } = commands;
  const onboard: Flow['onboard'] = (args, env) => begin(args, env).ended;
  const report: Flow['report'] = (summary, name) =>
    readFile(join(home, 'reports', summary.run, name), 'utf8');
  const file: Flow['file'] = async (name, content) => {
    const path = join(home, name);
    await writeFile(path, content);
    return path;
  };
  const run: Flow['run'] = async (args, env) => withSummary(await onboard(['run', ...args, '--json'], env));
  let loaded = 0;
  return {
    home,
    sandbox,
    redisUrl,
    start,
    begin,
    onboard,
    report,
    file,
    async look(args) {
      const { exitCode, stdout, stderr } = await onboard(args);
      expect(exitCode, stderr).toBe(0);
      return stdout;
    },
    run,
    async load(job, rows, env) {
      loaded += 1;
      const csv = await file(`rows-${loaded}.csv`, rows);
      if (!job.includes('\n')) return run([...(job.endsWith('.yaml') ? ['--job-file'] : []), job, csv], env);
      return run(['--job-file', await file(`job-${loaded}.yaml`, job), csv], env);
    },
    results: async (summary) =>
      parse(await report(summary, 'results.csv'), {
        columns: true,
        delimiter: summary.source?.delimiter ?? ',',
      }),
  };
}

/** With the summary that a command prints for `--json`; the control total holds, or the test fails. */
export function withSummary(ended: Ended): Ended & { readonly summary: Summary } {
  const line = ended.stdout.trim().split('\n').at(-1) ?? '';
  expect(line, `no summary; stderr: ${ended.stderr}`).not.toBe('');
  const summary = summarySchema.parse(JSON.parse(line));
  expect(summary.controlTotal.holds, 'the control total').toBe(true);
  return { ...ended, summary };
}

/** The commands of one flow, in this process and as others. */
function createCommands(own: Env, times: Times | undefined) {
  const program = times === undefined ? [MAIN] : [WITH_TIMES, JSON.stringify(times)];
  const given: Command[] = [];
  const running = new Map<Promise<Ended>, () => void>();
  const keep = (command: Command, ended: Promise<Ended>, stop: () => void) => {
    given.push(command);
    running.set(ended, stop);
    const leave = () => running.delete(ended);
    ended.then(leave, leave);
  };
  return {
    start(args: readonly string[], env: Env = {}, within: readonly string[] = []) {
      const [first = process.execPath, ...rest] = [...within, process.execPath, ...program, ...args];
      const child = spawn(first, rest, {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...own, ...env },
      });
      const text = { stdout: '', stderr: '' };
      const ended = collect(child, text);
      const state = () => String(child.exitCode ?? child.signalCode ?? AT_WORK);
      keep({ args, text, state }, ended, () => child.kill('SIGKILL'));
      return { child, ended, said: () => text.stderr };
    },
    begin(args: readonly string[], env: Env = {}): Begun {
      const text = { stdout: '', stderr: '' };
      const interruption = new AbortController();
      const exit: { code: number | null } = { code: null };
      const io = {
        stdout: keepText(text, 'stdout'),
        stderr: keepText(text, 'stderr'),
        env: { ...own, ...env },
        typed: ['onboard', ...args.map(shellWord)].join(' '),
        interrupted: interruption.signal,
        ...(times !== undefined && { times }),
      };
      const ended = runProgram(args, io).then((exitCode) => {
        exit.code = exitCode;
        return { exitCode, ...text };
      });
      const interrupt = () => interruption.abort();
      keep({ args, text, state: () => String(exit.code ?? AT_WORK) }, ended, interrupt);
      return { ended, interrupt, said: () => text.stderr };
    },
    async end() {
      for (const stop of running.values()) stop();
      await Promise.allSettled(running.keys());
    },
    words: () => given.slice(-COMMANDS_SHOWN).map(wordsOf).join('\n'),
  };
}

function keepText(text: Text, name: keyof Text): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      text[name] += String(chunk);
      done();
    },
  });
}

async function collect(child: ChildProcess, text: Text): Promise<Ended> {
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text.stderr += chunk;
  });
  await once(child, 'close');
  return { exitCode: child.exitCode, ...text };
}

function wordsOf({ args, text, state }: Command): string {
  return `onboard ${args.join(' ')}: ${state()}; stderr: ${text.stderr.slice(-STDERR_SHOWN).trim()}`;
}

/** A killed command leaves its Redis for the next one; after the test there is none. */
async function stopLeftRedis(home: string): Promise<void> {
  if ((await embeddedServer(home)) !== null) await (await joinEmbeddedRedis(home)).close();
}

/** The Redis that the program has started in that home; `null` where none is there. */
export async function embeddedServer(
  home: string,
): Promise<{ readonly folder: string; readonly pid: number } | null> {
  const folder = await takenFolder(join(home, 'redis'));
  const pid = folder === null ? null : serverProcess(folder);
  return folder === null || pid === null ? null : { folder, pid };
}

/** A CSV of subclients with keys K1…Kn. */
export function subclientsCsv(rows: number, prefix = 'K'): string {
  const lines = keysOf(rows, prefix).map((key, i) => `${key},Company ${i + 1} Ltd`);
  return ['externalId,details.name', ...lines, ''].join('\n');
}

/**
 * A definition (YAML) that creates those, and sends their keys along; `send`: as it stands in the braces. No rows go first unless it
 * says so: a test's service may fail all.
 */
export function createJob(send = ''): string {
  const lines = [
    'operation: subclient.create',
    'key: externalId',
    'fields: { additionalInformation.crmId: externalId }',
  ];
  const canary = send.includes('canary') ? [] : ['canary: 0'];
  const settings = [...canary, ...(send === '' ? [] : [send])].join(', ');
  return [...lines, `send: { ${settings} }`, ''].join('\n');
}

/** The keys of such rows, one after the other. */
export function keysOf(rows: number, prefix = 'K'): string[] {
  return Array.from({ length: rows }, (_, i) => `${prefix}${i + 1}`);
}
