import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { listen } from '../../src/sandbox/sandbox.ts';
import { atTestEnd } from './at-test-end.ts';

/** Stands before the sandbox as a service that works on so many requests at once only. */
export type LimitedService = {
  readonly url: string;
  setAtOnce(atOnce: number): void;
  carriedOut(): number;
  refused(): number;
  /** Every request that came, in order. */
  arrivals(): readonly Arrival[];
  /** Mean number of requests that were there between two times of `performance.now()`, waiting or worked on. */
  meanInFlight(from: number, to: number): number;
};

/** `at`: `performance.now()`. */
export type Arrival = { readonly at: number; readonly authorization: string; readonly isRefused: boolean };

export type LimitedServiceOptions = {
  readonly atOnce: number;
  readonly answerMs: number;
  /** Beside the 429 that more than that are answered with; default: none. */
  readonly headers?: () => Readonly<Record<string, string>>;
};

/** Starts one before the service at that address; it ends with the test. */
export async function startLimitedService(
  target: string,
  options: LimitedServiceOptions,
): Promise<LimitedService> {
  const agent = new Agent({ keepAlive: true });
  let { atOnce } = options;
  let taken = 0;
  const presence = createPresence();
  const arrivals: Arrival[] = [];
  let carriedOut = 0;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const body = await buffer(incoming);
    const isRefused = taken >= atOnce;
    arrivals.push({ at: performance.now(), authorization: incoming.headers.authorization ?? '', isRefused });
    if (isRefused) {
      outgoing.writeHead(429, options.headers?.()).end();
      return;
    }
    taken += 1;
    await delay(options.answerMs);
    const reply = await ask(new URL(incoming.url ?? '', target), { incoming, body, agent });
    carriedOut += 1;
    taken -= 1;
    outgoing.writeHead(reply.status, { 'content-type': 'application/json' }).end(reply.body);
  };
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
    presence.comes();
    outgoing.once('close', presence.goes);
    answer(incoming, outgoing).catch(() => outgoing.socket?.resetAndDestroy());
  });
  const port = await listen(server, 0);
  atTestEnd(() => {
    server.close();
    server.closeAllConnections();
    agent.destroy();
  });
  return {
    url: `http://127.0.0.1:${port}`,
    setAtOnce(next) {
      atOnce = next;
    },
    carriedOut: () => carriedOut,
    refused: () => arrivals.filter(({ isRefused }) => isRefused).length,
    arrivals: () => arrivals,
    meanInFlight: presence.mean,
  };
}

/** How many were there, and since when. */
function createPresence() {
  const changes = [{ at: performance.now(), there: 0 }];
  const change = (by: number) => {
    changes.push({ at: performance.now(), there: (changes.at(-1)?.there ?? 0) + by });
  };
  return {
    comes: () => change(1),
    goes: () => change(-1),
    mean(from: number, to: number): number {
      const area = changes.reduce((sum, { at, there }, i) => {
        const until = Math.min(changes[i + 1]?.at ?? to, to);
        return sum + there * Math.max(0, until - Math.max(at, from));
      }, 0);
      return area / (to - from);
    },
  };
}

type Asked = { readonly incoming: IncomingMessage; readonly body: Buffer; readonly agent: Agent };

function ask(url: URL, { incoming, body, agent }: Asked): Promise<{ status: number; body: Buffer }> {
  const { method = '', headers } = incoming;
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent }, (reply) => {
      buffer(reply).then((text) => resolve({ status: reply.statusCode ?? 500, body: text }), reject);
    })
      .on('error', reject)
      .end(body);
  });
}
