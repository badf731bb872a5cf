import { join } from 'node:path';
import { request } from 'undici';
import { z } from 'zod';
import type { Bench } from '../bench.ts';
import type { Service } from './fast-service.ts';
import { type ServiceNumbers, serviceNumbersSchema } from './service-numbers.ts';

/** A service in a Node process of its own that counts what it gets. */
export type NodeService = Service & { numbers(): Promise<ServiceNumbers> };

const listeningSchema = z.object({ port: z.number() });

/** Answers each request `delayMs` after it was read. */
export async function startNodeService(bench: Bench, delayMs: number): Promise<NodeService> {
  const script = join(bench.code, 'service.js');
  const server = bench.processes.start(process.execPath, [script, String(delayMs)]);
  const { port } = listeningSchema.parse(JSON.parse(await server.said('\n')));
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    stop: server.stop,
    numbers: async () => {
      const { body } = await request(`${url}/numbers`, { reset: true });
      return serviceNumbersSchema.parse(await body.json());
    },
  };
}
