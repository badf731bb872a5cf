/**
 * What the measured programs talk to. Redis is a fresh one each time, with the settings of the
 * embedded server: everything that it confirms is on the disk. The service that answers at once is
 * nginx where it is installed, else the bench's own; the service that takes its time is always the
 * bench's own.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { findProgram } from '../scripts/setup/find-program.mjs';
import { sleep } from '../src/lib/waiting.ts';
import { freePort } from '../test/support/free-port.ts';
import type { Bench } from './bench.ts';
import type { Started } from './processes.ts';

/** How long the slow service takes for an answer, on average. */
export const DELAY_MS = 50;

export type Server = Pick<Started, 'pid' | 'stop'> & { readonly url: string };

const REDIS_SETTINGS = {
  save: '',
  appendonly: 'yes',
  appendfsync: 'always',
  'maxmemory-policy': 'noeviction',
  'hash-max-ziplist-entries': '512',
  'hash-max-ziplist-value': '128',
};

export async function startRedis(bench: Bench): Promise<Server> {
  const program = findProgram('redis-server', 'valkey-server');
  if (program === null) throw new Error('neither redis-server nor valkey-server is on the PATH');
  const port = await freePort();
  const settings = {
    bind: '127.0.0.1',
    port: String(port),
    dir: await bench.folder('redis'),
    ...REDIS_SETTINGS,
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const { pid, said, stop } = bench.processes.start(program, args);
  await said('Ready to accept connections');
  return { url: `redis://127.0.0.1:${port}`, pid, stop };
}

/** The cheapest that reads the body and answers a fresh id. */
export async function startFastService(bench: Bench): Promise<Server> {
  const program = findProgram('nginx');
  return program === null ? startOwnService(bench, 0) : startNginx(bench, program);
}

async function startNginx(bench: Bench, program: string): Promise<Server> {
  const folder = await bench.folder('nginx');
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await writeFile(config, nginxConfig(folder, port));
  const args = ['-p', folder, '-c', config, '-e', join(folder, 'error.log')];
  const { pid, ended, stop } = bench.processes.start(program, args);
  const url = `http://127.0.0.1:${port}`;
  const gone = ended.then(({ stderr }) => Promise.reject(new Error(`nginx did not start: ${stderr}`)));
  gone.catch(() => undefined);
  while (!(await Promise.race([gone, isAnswering(url)]))) await Promise.race([gone, sleep(20)]);
  return { url, pid, stop };
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { method: 'POST', body: '{}' })).ok;
  } catch {
    return false;
  }
}

/**
 * One process, so that its CPU is read in one place; `return` reads the body and throws it away.
 */
function nginxConfig(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `master_process off;
daemon off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n  ')}
  keepalive_requests 1000000000;
  keepalive_timeout 3600s;
  client_header_buffer_size 16k;
  client_max_body_size 1m;
  default_type application/json;
  server {
    listen 127.0.0.1:${port};
    location / { return 200 '{"id":"$request_id"}'; }
  }
}
`;
}

const numbersSchema = z.object({
  /** From the request read to its answer written, the mean. */
  heldMeanMs: z.number(),
  /** Answers per second over all, and over those between a fifth and four fifths of them. */
  rate: z.number(),
  middleRate: z.number(),
});
export type ServiceNumbers = z.infer<typeof numbersSchema>;

export type OwnService = Server & {
  numbers(): Promise<ServiceNumbers>;
  /** Begins to count anew. */
  forget(): Promise<void>;
};

const listeningSchema = z.object({ port: z.number() });

/** Answers each request `delayMs` after it was read, and counts. */
export async function startOwnService(bench: Bench, delayMs = DELAY_MS): Promise<OwnService> {
  const { pid, said, stop } = bench.startOwn('service', [String(delayMs)]);
  const { port } = listeningSchema.parse(JSON.parse(await said('\n')));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    pid,
    stop,
    async numbers() {
      const { body } = await request(url, { reset: true });
      return numbersSchema.parse(await body.json());
    },
    async forget() {
      const { body } = await request(url, { method: 'DELETE', reset: true });
      await body.dump();
    },
  };
}
