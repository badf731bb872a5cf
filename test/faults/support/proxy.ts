import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from '../../support/free-port.ts';
import { createLaneControl, type LaneControl, type LaneMode, runLane } from './proxy-lane.ts';
import { type CutRule, createRequestCuts, type FiredCut, type RequestCuts } from './request-cuts.ts';

/** Where a server listens: a TCP port of 127.0.0.1, or a Unix socket. */
export type Endpoint = { readonly port: number } | { readonly path: string };

/** `requests`: from the client to the server; `replies`: the other way. */
export type Direction = 'requests' | 'replies';
const DIRECTIONS = ['requests', 'replies'] as const;

export type ProxyCounters = {
  /** Connections accepted so far. */
  readonly connections: number;
  readonly openConnections: number;
  /** Bytes that reached the other side. */
  readonly requestBytes: number;
  readonly replyBytes: number;
  /** Requests that matched a rule of `cutRequest`. */
  readonly matched: number;
};

/** A way to a server that can be disturbed at any time; it begins undisturbed. */
export type TcpProxy = {
  /** Its own TCP port; 0 where it listens on a Unix socket. */
  readonly port: number;
  /** Sets how bytes pass, in both directions or in one; connections that are open follow at once. */
  set(mode: LaneMode, direction?: Direction): void;
  /** New connections are refused; those that are open stay. */
  refuse(): Promise<void>;
  /** Takes new connections again, at the same place. */
  accept(): Promise<void>;
  /** Resets every open connection on both sides. */
  cut(): void;
  /** Cuts the connection of one request to come, once; resolves when it has been cut. */
  cutRequest(rule: CutRule): Promise<void>;
  /** Drops one reply to come that has these bytes in it, and cuts its connection; resolves when it has been cut. */
  cutReply(matching: string): Promise<void>;
  counters(): ProxyCounters;
  /** Ends it with all its connections; may be called twice. */
  close(): Promise<void>;
};

export type ProxyOptions = {
  readonly to: Endpoint;
  /** A TCP port or the path of a Unix socket; default: any free port. */
  readonly listen?: number | string;
  /** Numbers in [0, 1) for the jitter. */
  readonly random?: () => number;
};

type Pair = { readonly client: Socket; readonly server: Socket };

type Parts = {
  readonly to: Endpoint;
  readonly random: () => number;
  readonly lanes: Readonly<Record<Direction, LaneControl>>;
  readonly cuts: RequestCuts;
  readonly replyCuts: RequestCuts;
  readonly pairs: Set<Pair>;
  readonly bytes: Record<Direction, number>;
  connections: number;
};

/** Starts a TCP proxy; whoever starts it closes it. */
export async function startProxy(options: ProxyOptions): Promise<TcpProxy> {
  const place = options.listen ?? (await freePort());
  const parts = createParts(options);
  let server = await listen(place, parts);
  const refuse = async () => {
    // Only the listening ends here: waiting for the end of the open connections would take as long as they live.
    server.close();
  };
  const cut = () => {
    for (const pair of parts.pairs) cutPair(pair);
  };
  return {
    port: typeof place === 'number' ? place : 0,
    set(mode, direction) {
      for (const each of direction === undefined ? DIRECTIONS : [direction]) parts.lanes[each].set(mode);
    },
    refuse,
    async accept() {
      if (!server.listening) server = await listen(place, parts);
    },
    cut,
    cutRequest: parts.cuts.add,
    cutReply: (matching) => parts.replyCuts.add({ matching, nth: 1, when: 'after' }),
    counters: () => ({
      connections: parts.connections,
      openConnections: parts.pairs.size,
      requestBytes: parts.bytes.requests,
      replyBytes: parts.bytes.replies,
      matched: parts.cuts.matched(),
    }),
    async close() {
      if (server.listening) server.close();
      for (const direction of DIRECTIONS) parts.lanes[direction].set({ kind: 'pass' });
      cut();
    },
  };
}

function createParts({ to, random }: ProxyOptions): Parts {
  return {
    to,
    random: random ?? Math.random,
    lanes: { requests: createLaneControl(), replies: createLaneControl() },
    cuts: createRequestCuts(),
    replyCuts: createRequestCuts(),
    pairs: new Set(),
    bytes: { requests: 0, replies: 0 },
    connections: 0,
  };
}

async function listen(place: number | string, parts: Parts): Promise<Server> {
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => join(client, parts));
  if (typeof place === 'number') server.listen(place, '127.0.0.1');
  else server.listen(place);
  await once(server, 'listening');
  return server;
}

/** One client's connection and its own to the server. */
function join(client: Socket, parts: Parts): void {
  const server = connect({ ...parts.to, allowHalfOpen: true, noDelay: true });
  const pair = { client, server };
  parts.connections += 1;
  parts.pairs.add(pair);
  watchSocket(client, pair, { parts, direction: 'requests' });
  watchSocket(server, pair, { parts, direction: 'replies' });
  carry(pair, parts);
}

/** The other side is told of a reset, unless nothing passes; how it came about does not matter. */
function watchSocket(
  socket: Socket,
  pair: Pair,
  { parts, direction }: { readonly parts: Parts; readonly direction: Direction },
): void {
  socket.on('error', () => undefined);
  socket.on('close', (hadError) => {
    if (hadError) void parts.lanes[direction].open().then(() => cutPair(pair));
    if (pair.client.destroyed && pair.server.destroyed) parts.pairs.delete(pair);
  });
}

function carry(pair: Pair, parts: Parts): void {
  const { client, server } = pair;
  const look = parts.cuts.watch();
  const lookAtReply = parts.replyCuts.watch();
  // Set when the request whose answer is to be dropped is on its way.
  let losing: FiredCut | null = null;
  const admitRequest = (bytes: Buffer) => {
    const fired = look(bytes);
    if (fired?.when === 'after') losing = fired;
    if (fired?.when !== 'before') return true;
    cutPair(pair);
    fired.done();
    return false;
  };
  const admitReply = (bytes: Buffer) => {
    const lost = losing ?? lookAtReply(bytes);
    if (lost === null) return true;
    loseReply(pair);
    lost.done();
    return false;
  };
  const lane = (direction: Direction, admit: (bytes: Buffer) => boolean) =>
    runLane({
      ...(direction === 'requests' ? { from: client, to: server } : { from: server, to: client }),
      control: parts.lanes[direction],
      random: parts.random,
      admit,
      passed: (bytes) => {
        parts.bytes[direction] += bytes.length;
      },
    }).catch(() => cutPair(pair));
  void lane('requests', admitRequest);
  void lane('replies', admitReply);
}

/** The client is reset; the server's side is ended without haste, so that the server reads all that was sent to it. */
function loseReply({ client, server }: Pair): void {
  reset(client);
  if (!server.destroyed) server.end();
}

function cutPair({ client, server }: Pair): void {
  reset(client);
  reset(server);
}

/** A Unix socket knows no reset: it is closed. */
function reset(socket: Socket): void {
  if (socket.destroyed) return;
  try {
    socket.resetAndDestroy();
  } catch {
    socket.destroy();
  }
}
