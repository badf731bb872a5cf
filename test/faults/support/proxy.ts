import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { freePort } from '../../support/free-port.ts';

/** A way to a server of this machine that can be disturbed at any time; it begins undisturbed. */
export type TcpProxy = {
  readonly port: number;
  /** A black hole: connections stay open and nothing passes, not even an end, until it is let go; then all of it does. */
  hold(): void;
  letGo(): void;
  /** New connections are refused; those that are open stay. */
  refuse(): void;
  /** Takes new connections again, at the same place. */
  accept(): Promise<void>;
  /** Resets every open connection on both sides. */
  cut(): void;
  /** Drops the answer to the next request with these bytes, and cuts its connection: the server has carried it out. Resolves then. */
  loseReplyTo(request: string): Promise<void>;
  /** The same for the next answer with these bytes. */
  loseReply(reply: string): Promise<void>;
  /** Ends it with all its connections; may be called twice. */
  close(): void;
};

type Pair = { readonly client: Socket; readonly server: Socket };
/** Bytes that are waited for, and what is done when they were met. */
type Wanted = { readonly needle: Buffer; readonly done: () => void };
type Gate = ReturnType<typeof createGate>;
type Ways = { readonly gate: Gate; readonly requests: Set<Wanted>; readonly replies: Set<Wanted> };

/** Starts a proxy before that port; whoever starts it closes it. */
export async function startProxy(to: number): Promise<TcpProxy> {
  const port = await freePort();
  const ways: Ways = { gate: createGate(), requests: new Set(), replies: new Set() };
  const pairs = new Set<Pair>();
  const open = async () => {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const pair = { client, server: connect({ port: to, allowHalfOpen: true, noDelay: true }) };
      pairs.add(pair);
      join(pair, ways, () => pairs.delete(pair));
    }).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  let listener = await open();
  const cut = () => {
    for (const pair of pairs) cutPair(pair);
  };
  const want = (wanted: Set<Wanted>) => (text: string) =>
    new Promise<void>((done) => wanted.add({ needle: Buffer.from(text), done }));
  return {
    port,
    hold: ways.gate.hold,
    letGo: ways.gate.letGo,
    // Only the listening ends: waiting for the end of the open connections would take as long as they live.
    refuse: () => void listener.close(),
    async accept() {
      if (!listener.listening) listener = await open();
    },
    cut,
    loseReplyTo: want(ways.requests),
    loseReply: want(ways.replies),
    close() {
      listener.close();
      ways.gate.letGo();
      cut();
    },
  };
}

function createGate() {
  let held: { readonly over: Promise<void>; readonly end: () => void } | null = null;
  return {
    hold() {
      let end = () => {};
      held ??= { over: new Promise((resolve) => (end = resolve)), end: () => end() };
    },
    letGo() {
      held?.end();
      held = null;
    },
    /** Resolves when nothing is held. */
    async passed() {
      while (held !== null) await held.over;
    },
  };
}

/** Carries bytes both ways; the other side is told of a reset too, unless nothing passes. */
function join(pair: Pair, { gate, requests, replies }: Ways, ended: () => void): void {
  const { client, server } = pair;
  for (const socket of [client, server]) {
    socket.on('error', () => undefined);
    socket.on('close', (hadError) => {
      if (hadError) void gate.passed().then(() => cutPair(pair));
      if (client.destroyed && server.destroyed) ended();
    });
  }
  const [look, lookAtReply] = [lookFor(requests), lookFor(replies)];
  // Requests that have passed and whose answer is to be dropped.
  const losing: Wanted[] = [];
  const request = (bytes: Buffer) => {
    losing.push(...look(bytes));
    return true;
  };
  const reply = (bytes: Buffer) => {
    const lost = [...losing, ...lookAtReply(bytes)];
    if (lost.length === 0) return true;
    reset(client);
    // Without haste, so that the server reads all that was sent to it.
    server.end();
    for (const { done } of lost) done();
    return false;
  };
  // Whoever is reset while it is carried has said so by its `close`.
  void carry(client, server, { gate, admit: request }).catch(() => undefined);
  void carry(server, client, { gate, admit: reply }).catch(() => undefined);
}

/** Carries what is admitted, piece by piece, and the end. */
async function carry(
  from: Socket,
  to: Socket,
  { gate, admit }: { readonly gate: Gate; admit(bytes: Buffer): boolean },
): Promise<void> {
  for await (const bytes of from.iterator({ destroyOnReturn: false })) {
    await gate.passed();
    if (!to.destroyed && admit(bytes) && !to.write(bytes)) {
      await Promise.race([once(to, 'drain'), once(to, 'close')]);
    }
  }
  await gate.passed();
  if (!to.destroyed) to.end();
}

/** Longer needles are found only where they come in one piece. */
const TAIL_MAX_BYTES = 1024;

/** Looks through one stream, in whatever pieces it comes; what is found is wanted no longer. */
function lookFor(wanted: Set<Wanted>): (bytes: Buffer) => Wanted[] {
  let tail = Buffer.alloc(0);
  return (bytes) => {
    const all = Buffer.concat([tail, bytes]);
    // What lies before the piece altogether has been looked at.
    const found = [...wanted].filter(
      ({ needle }) => all.indexOf(needle, Math.max(0, tail.length - needle.length + 1)) !== -1,
    );
    for (const each of found) wanted.delete(each);
    tail = all.subarray(-TAIL_MAX_BYTES);
    return found;
  };
}

function cutPair({ client, server }: Pair): void {
  reset(client);
  reset(server);
}

function reset(socket: Socket): void {
  if (!socket.destroyed) socket.resetAndDestroy();
}
