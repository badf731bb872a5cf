import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { findServerProgram } from '../../src/redis/server-process.ts';
import { atTestEnd } from './at-test-end.ts';
import { until } from './flow.ts';

export type OwnServer = { readonly url: string; readonly redis: Redis };

/** A Redis on a port of the test's own, with settings that the embedded one never has; it ends with the test. */
export async function startRedisServer(settings: Readonly<Record<string, string>>): Promise<OwnServer> {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-server-'));
  const port = await freePort();
  const all = { port: String(port), bind: '127.0.0.1', dir: folder, save: '', ...settings };
  const flags = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(await findServerProgram(process.env.PATH ?? ''), flags, { stdio: 'ignore' });
  const redis = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  atTestEnd(async () => {
    redis.disconnect();
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  await until(() => redis.status === 'ready');
  return { url: `redis://127.0.0.1:${port}`, redis };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
