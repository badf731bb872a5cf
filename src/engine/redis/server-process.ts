/**
 * A Redis server as a process: how it is started, whether it lives and answers. Two servers on one
 * append-only file would ruin it: no function here says "gone" of a server that may live.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { access, constants, open, readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { delimiter, dirname, join, relative } from 'node:path';
import { hasCode, orElse } from '../../lib/errors.ts';
import { isAlive } from '../../lib/machine.ts';
import { UsageError } from '../../lib/usage-error.ts';
import { sleep } from '../../lib/waiting.ts';
import { cutTornEnd, findTornEnd } from './append-only-file.ts';

const POLL_MS = 20;

/** Loading a large append-only file takes a while. */
export const START_TIMEOUT_MS = 120_000;

/** In the data folder; the server knows only this name, so any path's length will do. */
const SOCKET = 'redis.sock';
/** A Unix socket's path may take 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_MAX_BYTES = 100;
export function socketOf(folder: string): string {
  return join(folder, SOCKET);
}

/** As it fits a socket's address; a UsageError where it is too long. */
export function wayToSocket(folder: string): string {
  const spelled = [socketOf(folder), join(relative(process.cwd(), folder), SOCKET)];
  const path = spelled.find((one) => Buffer.byteLength(one) <= SOCKET_PATH_MAX_BYTES);
  if (path !== undefined) return path;
  throw new UsageError(
    `ONBOARD_HOME is too long for a socket (${socketOf(folder)}): expected at most ${SOCKET_PATH_MAX_BYTES} bytes. ` +
      'Set ONBOARD_HOME to a shorter one, or REDIS_URL.',
  );
}

/** Of a home's servers, one after the other; `folder`: `<home>/redis`. */
export function serverLog(folder: string): string {
  return join(folder, 'redis.log');
}

export type StartOptions = {
  /** Called in the very tick in which the server is started. */
  mayStart(): boolean;
  /** Shows the user a sentence. */
  tell(text: string): void;
  /** How it ended, whenever that is. */
  onEnd?(how: string): void;
};

/**
 * Starts a folder's server and waits until it answers; a UsageError has the end of its log. Cuts a
 * torn append-only file back to its last whole transaction first. False: there is a server by now,
 * or none may be started.
 */
export async function startServer(folder: string, options: StartOptions): Promise<boolean> {
  const program = await findServerProgram(process.env.PATH ?? '');
  const mayStart = () => options.mayStart() && serverProcess(folder) === null;
  try {
    return await tryStart(program, folder, { ...options, mayStart });
  } catch (error) {
    const torn = isAboutItsFile(error) ? await findTornEnd(folder, program) : null;
    if (torn === null) throw error;
    const bytes = cutTornEnd(torn, mayStart);
    if (bytes > 0) options.tell(cutWords(bytes));
  }
  return tryStart(program, folder, { ...options, mayStart });
}

function isAboutItsFile(error: unknown): boolean {
  return error instanceof UsageError && /append only file/.test(error.message);
}

function cutWords(bytes: number): string {
  return (
    `The embedded Redis had ended within a write, as by a power cut: ${bytes} bytes were cut off, ` +
    'for which nothing was answered.'
  );
}

/** False: none may be started. */
async function tryStart(
  program: string,
  folder: string,
  { mayStart, onEnd }: StartOptions,
): Promise<boolean> {
  const logPath = serverLog(dirname(folder));
  const log = await open(logPath, 'a', 0o600);
  try {
    if (!mayStart()) return false;
    const child = spawnAlone(program, folder, log.fd);
    const failed = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `status ${code}`}`));
    });
    void failed.then(onEnd);
    child.unref();
    const waiting = new AbortController();
    const outcome = await Promise.race([untilReady(folder, waiting.signal), failed]);
    waiting.abort();
    if (outcome !== 'ready') throw new UsageError(await explain(program, outcome, logPath));
    return true;
  } finally {
    await log.close();
  }
}

/**
 * In one tick with the last check: a process that stood still between the two would lose its lock,
 * and two servers would start. The server writes the same pid, but only later.
 */
function spawnAlone(program: string, folder: string, log: number): ChildProcess {
  rmSync(socketOf(folder), { force: true });
  rmSync(pidFile(folder), { force: true });
  const child = spawnPrivate(program, folder, log);
  if (child.pid !== undefined) writeFileSync(pidFile(folder), `${child.pid}\n`, { mode: 0o600 });
  return child;
}

/** The server writes rows: for its user alone. */
function spawnPrivate(program: string, folder: string, log: number): ChildProcess {
  const before = process.umask(0o077);
  try {
    return spawn(program, serverArguments(folder), {
      cwd: folder,
      detached: true,
      stdio: ['ignore', log, log],
    });
  } finally {
    process.umask(before);
  }
}

function serverArguments(folder: string): string[] {
  const settings: Readonly<Record<string, string>> = {
    port: '0',
    unixsocket: SOCKET,
    unixsocketperm: '700',
    dir: folder,
    pidfile: PID_FILE,
    daemonize: 'no',
    save: '',
    appendonly: 'yes',
    appendfsync: 'always',
    // Else it would keep a torn transaction's beginning, and carry it out at a later start.
    'aof-load-truncated': 'no',
    'maxmemory-policy': 'noeviction',
    // Keep the identity ledger's small hashes compact. Every version knows the old names.
    'hash-max-ziplist-entries': '512',
    'hash-max-ziplist-value': '128',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

async function explain(program: string, outcome: string, logPath: string): Promise<readonly string[]> {
  const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-3);
  return [
    `The embedded Redis (${program}) did not start: ${outcome}. Its log, ${logPath}, ends with:`,
    ...lines,
  ];
}

async function untilReady(
  folder: string,
  signal: AbortSignal,
): Promise<'ready' | 'it did not answer in time'> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && !signal.aborted) {
    if ((await probeSocket(folder)) === 'ready') return 'ready';
    await sleep(POLL_MS, signal);
  }
  return 'it did not answer in time';
}

const PROGRAMS = ['redis-server', 'valkey-server'] as const;

/** Of Redis or Valkey; a UsageError names the alternatives. */
export async function findServerProgram(path: string): Promise<string> {
  for (const program of PROGRAMS) {
    for (const folder of path.split(delimiter)) {
      const candidate = join(folder, program);
      const isExecutable = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isExecutable) return candidate;
    }
  }
  throw new UsageError(
    'No Redis server: neither redis-server nor valkey-server is on the PATH, and REDIS_URL is not set. ' +
      'Install one (apt install redis-server, dnf install valkey, brew install redis), ' +
      'or set REDIS_URL to one; docker-compose.yml says how to start it in a container.',
  );
}

const PID_FILE = 'redis.pid';

/** The server's pid; a server that ends in order removes the file. */
function pidFile(folder: string): string {
  return join(folder, PID_FILE);
}

/** While that process is there, answering or not; `null`: it is gone. */
export function serverProcess(folder: string): number | null {
  const pid = Number.parseInt(
    orElse('', () => readFileSync(pidFile(folder), 'utf8')),
    10,
  );
  return pid > 0 && isAlive(pid) && isServerOf(folder, pid) ? pid : null;
}

/** With SIGTERM the server writes what it has first. */
export function endServer(folder: string, pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (!isAlive(pid) || !isServerOf(folder, pid)) return;
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}

/** Another program may have the pid by now: the server's working folder is its data folder. */
function isServerOf(folder: string, pid: number): boolean {
  if (process.platform === 'linux') {
    const workingFolder = orElse(null, () => readlinkSync(`/proc/${pid}/cwd`));
    const real = orElse(folder, () => realpathSync(folder));
    return workingFolder === real || workingFolder === `${real} (deleted)`;
  }
  const command = orElse(null, () =>
    execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }),
  );
  return command === null || /redis|valkey/.test(command);
}

/**
 * `busy`: holds the socket without an answer (loading, a script, stopped). `silent`: nobody
 * listens.
 */
type ServerState = 'ready' | 'busy' | 'silent';

const ANSWER_TIMEOUT_MS = 1_000;

/** In bounded time. */
export async function probeSocket(folder: string): Promise<ServerState> {
  const path = wayToSocket(folder);
  return new Promise((resolve) => {
    const connection = createConnection(path);
    const end = (state: ServerState) => {
      connection.destroy();
      resolve(state);
    };
    connection.setTimeout(ANSWER_TIMEOUT_MS, () => end('busy'));
    connection.once('error', (error) => end(hasCode(error, 'ECONNREFUSED', 'ENOENT') ? 'silent' : 'busy'));
    connection.once('close', () => end('busy'));
    connection.once('data', (bytes) => end(bytes.toString('latin1').startsWith('+PONG') ? 'ready' : 'busy'));
    connection.write('PING\r\n');
  });
}
