import { findProgram } from '../scripts/setup/find-program.mjs';
import { freePort } from '../test/support/free-port.ts';
import type { Bench } from './bench.ts';

/** A Redis of its own, empty; everything it confirms is on the disk (README, Environment). */
type BenchRedis = { readonly url: string; stop(): Promise<void> };

const SETTINGS = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];

export async function startRedis(bench: Bench): Promise<BenchRedis> {
  const program = findProgram('redis-server', 'valkey-server');
  if (program === null) throw new Error('neither redis-server nor valkey-server is on the PATH');
  const port = await freePort();
  const folder = await bench.folder('redis');
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const server = bench.processes.start(program, [...place, ...SETTINGS, '--maxmemory-policy', 'noeviction']);
  await server.said('Ready to accept connections');
  return { url: `redis://127.0.0.1:${port}`, stop: server.stop };
}
