import { createConnection } from 'node:net';

/**
 * `ready`: it answers. `busy`: it holds the socket and doesn't answer, or not yet: loading, in a long script, stopped.
 * `silent`: nobody listens there.
 */
export type ServerState = 'ready' | 'busy' | 'silent';

const ANSWER_TIMEOUT_MS = 1_000;
/** Nobody holds the socket, or there is none. */
const NOBODY: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ENOENT']);

/** The state of the Redis server on a Unix socket, in bounded time. */
export async function probeSocket(path: string): Promise<ServerState> {
  try {
    return (await ask(path, 'PING')).startsWith('+PONG') ? 'ready' : 'busy';
  } catch (error) {
    return error instanceof Error && 'code' in error && NOBODY.has(error.code) ? 'silent' : 'busy';
  }
}

/** Asks a server to write what it has and end; one that doesn't take the command is left as it is. */
export async function askToEnd(path: string): Promise<void> {
  await ask(path, 'SHUTDOWN').catch(() => undefined);
}

/** The first bytes of the answer to an inline command; empty where there is none in time. */
function ask(path: string, command: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const connection = createConnection(path);
    const end = (settle: () => void) => {
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
