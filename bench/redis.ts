import { findProgram } from '../scripts/setup/find-program.mjs';
import { freePort } from '../test/support/free-port.ts';
import type { Bench } from './bench.ts';

/** A Redis of its own, empty; everything it confirms is on the disk (docs/redis.md). */
type BenchRedis = {
  readonly url: string;
  readonly pid: number;
  /** Where it has its append-only file. */
  readonly folder: string;
  stop(): Promise<void>;
};

const SETTINGS = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'];

/** `more`: settings beside those, as its command line has them. */
export async function startRedis(bench: Bench, more: readonly string[] = []): Promise<BenchRedis> {
  const program = findProgram('redis-server', 'valkey-server');
  if (program === null) throw new Error('neither redis-server nor valkey-server is on the PATH');
  const port = await freePort();
  const folder = await bench.folder('redis');
  const place = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder];
  const settings = [...SETTINGS, '--maxmemory-policy', 'noeviction', ...more];
  const server = bench.processes.start(program, [...place, ...settings]);
  await server.said('Ready to accept connections');
  return { url: `redis://127.0.0.1:${port}`, pid: server.pid, folder, stop: server.stop };
}
