import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the range that outgoing connections take theirs from: a port that is closed for a while must not be taken meanwhile. */
const FIRST_PORT = 20_000;
const PORTS = 10_000;
const TRIES = 50;

/** What this process has handed out: who asked may not listen yet. */
const given = new Set<number>();

/** A TCP port of 127.0.0.1 that nobody listens on and nobody else of this process is about to; an Error where none was found. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new Error(`no free port among ${TRIES} tried`);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const failed = new Promise<boolean>((resolve) => server.once('error', () => resolve(false)));
  const listening = new Promise<boolean>((resolve) => server.listen(port, '127.0.0.1', () => resolve(true)));
  if (!(await Promise.race([failed, listening]))) return false;
  server.close();
  await once(server, 'close');
  return true;
}
