import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import { findProgram } from '../../scripts/setup/find-program.mjs';
import { sleep } from '../../src/lib/waiting.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Bench } from '../bench.ts';

/** How long the slow service takes for an answer, on average. */
export const DELAY_MS = 50;

/** What the service counted; times are milliseconds of `Date.now()` with fractions. */
const serviceNumbersSchema = z.object({
  requests: z.number(),
  /** When the first request was read; 0 without one. */
  firstRequestAt: z.number(),
  /** The same for each path, its query included. */
  firstByPath: z.record(z.string(), z.number()),
  lastAnswerAt: z.number(),
  /** From the request read to its answer written: mean and greatest, in ms. */
  heldMeanMs: z.number(),
  heldMostMs: z.number(),
  /** Answers per second over all, and over those between a fifth and four fifths of them. */
  rate: z.number(),
  middleRate: z.number(),
});
export type ServiceNumbers = z.infer<typeof serviceNumbersSchema>;

/** The service that requests go to. */
export type Service = { readonly url: string; readonly pid: number; stop(): Promise<void> };

/** The cheapest that reads the body and answers a fresh id: nginx where it is installed, else Node. */
export async function startFastService(bench: Bench): Promise<Service> {
  const program = findProgram('nginx');
  return program === null ? startNodeService(bench, 0) : startNginx(bench, program);
}

async function startNginx(bench: Bench, program: string): Promise<Service> {
  const folder = await bench.folder('nginx');
  const port = await freePort();
  const config = join(folder, 'nginx.conf');
  await writeFile(config, configOf(folder, port));
  const errors = join(folder, 'error.log');
  const server = bench.processes.start(program, ['-p', folder, '-c', config, '-e', errors]);
  const url = `http://127.0.0.1:${port}`;
  await answering(url, server.ended);
  return { url, pid: server.pid, stop: server.stop };
}

async function answering(url: string, ended: Promise<{ readonly stderr: string }>): Promise<void> {
  const gone = ended.then(({ stderr }) => Promise.reject(new Error(`nginx did not start: ${stderr}`)));
  gone.catch(() => undefined);
  while (!(await Promise.race([gone, isAnswering(url)]))) await Promise.race([gone, sleep(20)]);
}

async function isAnswering(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { method: 'POST', body: '{}' })).ok;
  } catch {
    return false;
  }
}

/** `return` reads the body and throws it away; connections are kept for as long as the client wants. */
function configOf(folder: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `worker_processes 1;
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

/** A service in a Node process of its own that counts what it gets. */
export type NodeService = Service & {
  numbers(): Promise<ServiceNumbers>;
  /** Begins to count anew. */
  forget(): Promise<void>;
  /** Once it has read so many requests; an Error where `ended` ends before. */
  reached(requests: number, ended: Promise<unknown>): Promise<void>;
};

/** Seldom enough to cost nothing. */
const LOOK_MS = 100;

const listeningSchema = z.object({ port: z.number() });

/** Answers each request `delayMs` after it was read. */
export async function startNodeService(bench: Bench, delayMs: number): Promise<NodeService> {
  const script = join(bench.code, 'service.js');
  const server = bench.processes.start(process.execPath, [script, String(delayMs)]);
  const { port } = listeningSchema.parse(JSON.parse(await server.said('\n')));
  const url = `http://127.0.0.1:${port}`;
  const numbers = async () => {
    const { body } = await request(`${url}/numbers`, { reset: true });
    return serviceNumbersSchema.parse(await body.json());
  };
  return {
    url,
    pid: server.pid,
    stop: server.stop,
    numbers,
    async forget() {
      const { body } = await request(`${url}/numbers`, { method: 'DELETE', reset: true });
      await body.dump();
    },
    async reached(requests, ended) {
      const gone = ended.then(() => true);
      while ((await numbers()).requests < requests) {
        if (await Promise.race([gone, sleep(LOOK_MS).then(() => false)]))
          throw new Error(`the run ended before the service had ${requests} requests`);
      }
    },
  };
}
