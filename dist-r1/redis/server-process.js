/**
 * A Redis server as a process: the program found on the PATH, its arguments (append-only, fsync always, no eviction), its
 * pid file, whether it lives and answers. Two servers on one append-only file would ruin it: every function here is
 * careful to say "gone" only of a server that is.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { access, constants, open, readFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { delimiter, join, relative } from 'node:path';
import { hasCode } from '../lib/errors.js';
import { UsageError } from '../lib/usage-error.js';
import { sleep } from '../lib/waiting.js';
const POLL_MS = 20;
/** In the data folder; the server knows it by this name alone, so that the folder's path may be of any length. */
const SOCKET = 'redis.sock';
/** A Unix socket's path may take 107 bytes on Linux and 103 on macOS. */
const SOCKET_PATH_MAX_BYTES = 100;
/** Linux shows open files by number here: a path through a number leads to that very folder. */
const DESCRIPTORS = '/proc/self/fd';
/** Where the socket of a folder is, for people. */
export function socketOf(folder) {
    return join(folder, SOCKET);
}
/** A path that fits a socket's address; throws a UsageError where there is none. */
export async function wayToSocket(folder, descriptors = DESCRIPTORS) {
    const spelled = [socketOf(folder), join(relative(process.cwd(), folder), SOCKET)];
    const path = spelled.find((one) => Buffer.byteLength(one) <= SOCKET_PATH_MAX_BYTES);
    if (path !== undefined)
        return { path, close: async () => undefined };
    if (!existsSync(descriptors)) {
        throw new UsageError(`The path of ONBOARD_HOME is too long for a socket (${socketOf(folder)}): expected at most ${SOCKET_PATH_MAX_BYTES} bytes. ` +
            'Set ONBOARD_HOME to a shorter one, or REDIS_URL.');
    }
    const handle = await open(folder, 'r');
    return { path: join(descriptors, String(handle.fd), SOCKET), close: () => handle.close() };
}
/** Where the servers of a home write their log, one after the other; `folder`: `<home>/redis`. */
export function serverLog(folder) {
    return join(folder, 'redis.log');
}
/**
 * Starts the server of a folder and waits until it answers; throws a UsageError with the end of the server's log otherwise. False where
 * there is a server by now, or none may be started.
 */
export async function startServer(place, { timeoutMs, mayStart }) {
    const { folder, socket, log: logPath } = place;
    const program = await findServerProgram(process.env.PATH ?? '');
    const log = await open(logPath, 'a', 0o600);
    try {
        if (!mayStart() || serverProcess(folder) !== null)
            return false;
        const child = spawnAlone(program, folder, log.fd);
        const failed = new Promise((resolve) => {
            child.once('error', (error) => resolve(error.message));
            child.once('exit', (code, signal) => resolve(`it ended with ${signal ?? `status ${code}`}`));
        });
        child.unref();
        const waiting = new AbortController();
        const outcome = await Promise.race([untilReady(socket, timeoutMs, waiting.signal), failed]);
        waiting.abort();
        if (outcome !== 'ready')
            throw new UsageError(await explain(program, outcome, logPath));
        return true;
    }
    finally {
        await log.close();
    }
}
/**
 * In one tick with the last look, so that nobody stands still between the two: its lock would go to another, and both would start a server.
 * The server writes the same process id, but only once it is under way.
 */
function spawnAlone(program, folder, log) {
    rmSync(socketOf(folder), { force: true });
    rmSync(pidFile(folder), { force: true });
    const child = spawnPrivate(program, folder, log);
    if (child.pid !== undefined)
        writeFileSync(pidFile(folder), `${child.pid}\n`, { mode: 0o600 });
    return child;
}
/** What the server writes holds rows: for its user alone. */
function spawnPrivate(program, folder, log) {
    const before = process.umask(0o077);
    try {
        return spawn(program, serverArguments(folder), {
            cwd: folder,
            detached: true,
            stdio: ['ignore', log, log],
        });
    }
    finally {
        process.umask(before);
    }
}
function serverArguments(folder) {
    const settings = {
        port: '0',
        unixsocket: SOCKET,
        unixsocketperm: '700',
        dir: folder,
        pidfile: PID_FILE,
        daemonize: 'no',
        save: '',
        appendonly: 'yes',
        appendfsync: 'always',
        'maxmemory-policy': 'noeviction',
        // These keep the small hashes of the identity ledger in the compact encoding. The old names work in every version.
        'hash-max-ziplist-entries': '512',
        'hash-max-ziplist-value': '128',
    };
    return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}
async function explain(program, outcome, logPath) {
    const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n').slice(-3);
    return [
        `The embedded Redis (${program}) did not start: ${outcome}. Its log, ${logPath}, ends with:`,
        ...lines,
    ];
}
async function untilReady(socket, timeoutMs, signal) {
    const deadline = Date.now() + timeoutMs;
    while (Date.now() < deadline && !signal.aborted) {
        if ((await probeSocket(socket)) === 'ready')
            return 'ready';
        await sleep(POLL_MS, signal);
    }
    return 'it did not answer in time';
}
const PROGRAMS = ['redis-server', 'valkey-server'];
/** The path of a Redis or Valkey server program; throws a UsageError with the alternatives where there is none. */
export async function findServerProgram(path) {
    for (const program of PROGRAMS) {
        for (const folder of path.split(delimiter)) {
            const candidate = join(folder, program);
            if (await isExecutable(candidate))
                return candidate;
        }
    }
    throw new UsageError('No Redis server: neither redis-server nor valkey-server is on the PATH, and REDIS_URL is not set. ' +
        'Install one (apt install redis-server, dnf install valkey, brew install redis), ' +
        'or start one with `docker compose up -d redis`, or set REDIS_URL.');
}
async function isExecutable(path) {
    try {
        await access(path, constants.X_OK);
        return true;
    }
    catch {
        return false;
    }
}
const PID_FILE = 'redis.pid';
/** Where the server of a folder writes its process id; a server that ends in order removes the file. */
export function pidFile(folder) {
    return join(folder, PID_FILE);
}
/**
 * The process id of the folder's server, as long as that process is there, answering or not; `null` where it is gone.
 */
export function serverProcess(folder) {
    const pid = Number.parseInt(orElse('', () => readFileSync(pidFile(folder), 'utf8')), 10);
    return pid > 0 && isAlive(pid) && isServerOf(folder, pid) ? pid : null;
}
/** As `askToEnd`, for a server that can't be reached by its socket. */
export function askProcessToEnd(pid) {
    try {
        process.kill(pid, 'SIGTERM');
    }
    catch (error) {
        if (!hasCode(error, 'ESRCH'))
            throw error;
    }
}
/** Ends a server whose folder may have been removed under it, and which can't be asked any more. */
export function killServer(folder, pid) {
    if (isAlive(pid) && isServerOf(folder, pid))
        process.kill(pid, 'SIGKILL');
}
/** A process id may have passed to another program since. The server is told apart by its working folder, the data folder. */
function isServerOf(folder, pid) {
    if (process.platform === 'linux') {
        const workingFolder = orElse(null, () => readlinkSync(`/proc/${pid}/cwd`));
        const real = orElse(folder, () => realpathSync(folder));
        return workingFolder === real || workingFolder === `${real} (deleted)`;
    }
    const command = orElse(null, () => execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }));
    return command === null || /redis|valkey/.test(command);
}
function orElse(otherwise, read) {
    try {
        return read();
    }
    catch {
        return otherwise;
    }
}
const ANSWER_TIMEOUT_MS = 1_000;
/** The state of the Redis server on a Unix socket, in bounded time. */
export async function probeSocket(path) {
    try {
        return (await ask(path, 'PING')).startsWith('+PONG') ? 'ready' : 'busy';
    }
    catch (error) {
        return hasCode(error, 'ECONNREFUSED', 'ENOENT') ? 'silent' : 'busy';
    }
}
/** Asks a server to write what it has and end; a server that doesn't take the command is left as it is. */
export async function askToEnd(path) {
    await ask(path, 'SHUTDOWN').catch(() => undefined);
}
/** The first bytes of the answer to an inline command; empty where no answer came in time. */
function ask(path, command) {
    return new Promise((resolve, reject) => {
        const connection = createConnection(path);
        const end = (settle) => {
            connection.destroy();
            settle();
        };
        connection.setTimeout(ANSWER_TIMEOUT_MS, () => end(() => resolve('')));
        connection.once('error', (error) => end(() => reject(error)));
        connection.once('close', () => resolve(''));
        connection.once('data', (bytes) => end(() => resolve(bytes.toString('latin1'))));
        connection.write(`${command}\r\n`);
    });
}
/** Whether there is a process of this id, of whatever user. */
export function isAlive(pid) {
    try {
        process.kill(pid, 0);
        return true;
    }
    catch (error) {
        return hasCode(error, 'EPERM');
    }
}
//# sourceMappingURL=server-process.js.map