import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Server as NetServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate } from 'node:timers/promises';
import { listen } from '../../../src/sandbox/sandbox.ts';

/** One request to the service and what came back; times are `performance.now()`. */
export type Exchange = {
  /** When it had come in whole. */
  readonly at: number;
  /** When its answer left, or its connection was reset; `null`: not yet. */
  answeredAt: number | null;
  /** `null` where there was no answer. */
  status: number | null;
  readonly token: string;
  /** `null` where the answer said nothing. */
  retryAfterSeconds: number | null;
};

/** Stands between the program and the sandbox and notes when what came and went. */
export type ServiceFront = {
  readonly url: string;
  /** In the order in which they came. */
  exchanges(): readonly Exchange[];
  /** New connections are refused; those that are open end with the answer to their next request, so that none is lost. */
  refuse(): Promise<void>;
  /** Takes connections again, at the same place. */
  accept(): Promise<void>;
  /** Ends it with all its connections. */
  close(): Promise<void>;
};

type Parts = {
  readonly target: string;
  readonly agent: Agent;
  readonly exchanges: Exchange[];
  isRefusing: boolean;
};

/** Starts a front before the service at that address; whoever starts it closes it. */
export async function startServiceFront(target: string): Promise<ServiceFront> {
  // A connection for each request: one that is kept may be closed by the service just as it is used again.
  const parts: Parts = { target, agent: new Agent(), exchanges: [], isRefusing: false };
  const servers: Server[] = [];
  let taken = 0;
  const open = async (port: number): Promise<number> => {
    const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, outgoing) => {
      passOn(incoming, outgoing, parts).catch(() => outgoing.socket?.resetAndDestroy());
    });
    server.on('connection', () => {
      taken += 1;
    });
    servers.push(server);
    return listen(server, port);
  };
  const port = await open(0);
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges: () => parts.exchanges,
    async refuse() {
      await noneWaits(() => taken);
      parts.isRefusing = true;
      // The server's own `close` would end idle connections too, on which a request may be under way.
      for (const server of servers) NetServer.prototype.close.call(server);
    },
    async accept() {
      parts.isRefusing = false;
      await open(port);
    },
    async close() {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      parts.agent.destroy();
    },
  };
}

/**
 * Whoever waits at the door when it is shut is reset, with a request under way perhaps. Node takes one
 * connection in each turn of its loop: two turns without one, and nobody waits.
 */
async function noneWaits(taken: () => number): Promise<void> {
  for (let quiet = 0, seen = taken(); quiet < 2; seen = taken()) {
    await setImmediate();
    quiet = taken() === seen ? quiet + 1 : 0;
  }
}

async function passOn(incoming: IncomingMessage, outgoing: ServerResponse, parts: Parts): Promise<void> {
  const body = await buffer(incoming);
  const exchange: Exchange = {
    at: performance.now(),
    answeredAt: null,
    status: null,
    token: incoming.headers.authorization ?? '',
    retryAfterSeconds: null,
  };
  parts.exchanges.push(exchange);
  try {
    const answer = await ask(incoming, body, parts);
    const text = await buffer(answer);
    exchange.status = answer.statusCode ?? null;
    exchange.retryAfterSeconds = secondsOf(answer.headers['retry-after']);
    exchange.answeredAt = performance.now();
    const ending = parts.isRefusing ? { connection: 'close' } : { connection: 'keep-alive' };
    outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, ...ending }).end(text);
  } catch {
    exchange.answeredAt = performance.now();
    outgoing.socket?.resetAndDestroy();
  }
}

function ask(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
  parts: Parts,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(new URL(url, parts.target), { method, headers, agent: parts.agent }, resolve)
      .on('error', reject)
      .end(body);
  });
}

function secondsOf(retryAfter: string | undefined): number | null {
  return retryAfter === undefined ? null : Number(retryAfter);
}
