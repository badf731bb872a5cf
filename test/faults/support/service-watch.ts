import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { listen, type Sandbox } from '../../../src/sandbox/sandbox.ts';

/** One request to the service and what came back; times are `performance.now()`. */
export type Exchange = {
  /** When it had come in. */
  readonly at: number;
  /** When its answer had left, or its connection was reset; `null`: not yet. */
  answeredAt: number | null;
  /** `null` where there was no answer. */
  status: number | null;
  readonly token: string;
  /** `null` where the answer said nothing. */
  retryAfterSeconds: number | null;
};

/** Notes when what came to the sandbox and went, and shuts its door. */
export type ServiceWatch = {
  /** In the order in which they came. */
  exchanges(): readonly Exchange[];
  /** New connections are refused; those that are open end with the answer to their next request, so that none is lost. */
  refuse(): Promise<void>;
  /** Takes connections again, at the same place. */
  accept(): Promise<void>;
};

export function watchService({ server, port }: Pick<Sandbox, 'server' | 'port'>): ServiceWatch {
  const exchanges: Exchange[] = [];
  const unanswered = new Set<ServerResponse>();
  let isRefusing = false;
  let taken = 0;
  server.on('connection', () => {
    taken += 1;
  });
  server.prependListener('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    exchanges.push(noteExchange(incoming, outgoing));
    unanswered.add(outgoing);
    outgoing.once('close', () => unanswered.delete(outgoing));
    if (isRefusing) outgoing.shouldKeepAlive = false;
  });
  return {
    exchanges: () => exchanges,
    async refuse() {
      await noneWaits(() => taken);
      isRefusing = true;
      for (const outgoing of unanswered) outgoing.shouldKeepAlive = false;
      // The server's own `close` would end idle connections too, on which a request may be under way.
      NetServer.prototype.close.call(server);
    },
    async accept() {
      isRefusing = false;
      await listen(server, port);
    },
  };
}

function noteExchange({ headers }: IncomingMessage, outgoing: ServerResponse): Exchange {
  const token = headers.authorization ?? '';
  const exchange: Exchange = {
    at: performance.now(),
    answeredAt: null,
    status: null,
    token,
    retryAfterSeconds: null,
  };
  outgoing.once('close', () => {
    exchange.answeredAt = performance.now();
    if (!outgoing.writableFinished) return;
    exchange.status = outgoing.statusCode;
    const retryAfter = outgoing.getHeader('retry-after');
    exchange.retryAfterSeconds = retryAfter === undefined ? null : Number(retryAfter);
  });
  return exchange;
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
