import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/until.ts';
import { type Endpoint, startProxy, type TcpProxy } from './support/proxy.ts';

/** A server that answers every piece with itself, and remembers what it got. */
async function echoServer(listen: Endpoint = { port: 0 }) {
  const pieces: Buffer[] = [];
  const ends: string[] = [];
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('data', (bytes) => {
      pieces.push(bytes);
      socket.write(bytes);
    });
    socket.on('error', () => undefined);
    socket.on('close', (hadError) => {
      open.delete(socket);
      ends.push(hadError ? 'reset' : 'ended');
    });
  });
  if ('port' in listen) server.listen(listen.port, '127.0.0.1');
  else server.listen(listen.path);
  await once(server, 'listening');
  onTestFinished(async () => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return { port, pieces, ends, text: () => Buffer.concat(pieces).toString() };
}

/** A connection that remembers what came and how it ended. */
async function client(to: Endpoint) {
  const state = { text: '', ended: '' };
  const socket = connect({ ...to, noDelay: true });
  socket.setEncoding('utf8').on('data', (text: string) => {
    state.text += text;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    state.ended = error.code ?? error.message;
  });
  socket.on('close', () => {
    if (state.ended === '') state.ended = 'closed';
  });
  onTestFinished(async () => {
    socket.destroy();
  });
  await until(() => socket.readyState === 'open' || state.ended !== '');
  return { socket, state, says: (text: string) => until(() => state.text === text) };
}

async function through(random?: () => number) {
  const server = await echoServer();
  const proxy = await startProxy({ to: { port: server.port }, ...(random === undefined ? {} : { random }) });
  onTestFinished(proxy.close);
  return { server, proxy };
}

const at = (proxy: TcpProxy) => ({ port: proxy.port });

test('undisturbed, bytes pass both ways, an end too, and are counted', async () => {
  const { server, proxy } = await through();
  const one = await client(at(proxy));
  one.socket.write('hello');
  await one.says('hello');
  one.socket.end();
  await until(() => one.state.ended === 'closed' && server.ends.length === 1);
  expect(server.ends).toEqual(['ended']);
  await until(() => proxy.counters().openConnections === 0);
  expect(proxy.counters()).toMatchObject({ connections: 1, requestBytes: 5, replyBytes: 5, matched: 0 });
});

test('a megabyte passes whole and in order', async () => {
  const { proxy } = await through();
  const one = await client(at(proxy));
  const text = Array.from({ length: 150_000 }, (_, i) => String(i).padStart(7, '0')).join('');
  one.socket.write(text);
  await one.says(text);
});

test('it leads from a Unix socket to a Unix socket', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'onboard-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await echoServer({ path: join(folder, 'server') });
  const proxy = await startProxy({ to: { path: join(folder, 'server') }, listen: join(folder, 'proxy') });
  onTestFinished(proxy.close);
  const one = await client({ path: join(folder, 'proxy') });
  one.socket.write('hello');
  await one.says('hello');
  proxy.cut();
  await until(() => one.state.ended !== '');
});

test('delayed one way, bytes arrive in order, that much later', async () => {
  const { proxy } = await through(() => 0);
  proxy.set({ kind: 'delay', ms: 120, jitterMs: 20 }, 'replies');
  const one = await client(at(proxy));
  const began = performance.now();
  one.socket.write('a');
  await until(() => proxy.counters().requestBytes === 1);
  one.socket.write('b');
  await one.says('ab');
  expect(performance.now() - began).toBeGreaterThanOrEqual(99);
});

test('sliced, what was written at once arrives in pieces of that size at most', async () => {
  const { server, proxy } = await through();
  proxy.set({ kind: 'slice', bytes: 3, pauseMs: 5 }, 'requests');
  const one = await client(at(proxy));
  one.socket.write('0123456789');
  await one.says('0123456789');
  expect(server.pieces.length).toBeGreaterThan(1);
  expect(server.text()).toBe('0123456789');
});

test('refusing, new connections fail and open ones go on; accepting again, it is at the same place', async () => {
  const { proxy } = await through();
  const one = await client(at(proxy));
  await proxy.refuse();
  expect((await client(at(proxy))).state.ended).toBe('ECONNREFUSED');
  one.socket.write('still');
  await one.says('still');
  await proxy.accept();
  const two = await client(at(proxy));
  two.socket.write('again');
  await two.says('again');
});

test('held, connections stay open and nothing passes, not even an end; let go, all of it does', async () => {
  const { server, proxy } = await through();
  const one = await client(at(proxy));
  const two = await client(at(proxy));
  one.socket.write('a');
  await one.says('a');
  proxy.set({ kind: 'hold' });
  one.socket.write('b');
  two.socket.resetAndDestroy();
  await until(() => two.state.ended !== '');
  const three = await client(at(proxy));
  three.socket.write('c');
  // What would pass does so within this round trip through an undisturbed way.
  const other = await through();
  const probe = await client(at(other.proxy));
  probe.socket.write('probe');
  await probe.says('probe');
  expect([server.text(), one.state, three.state, server.ends]).toEqual([
    'a',
    { text: 'a', ended: '' },
    { text: '', ended: '' },
    [],
  ]);
  proxy.set({ kind: 'pass' });
  await Promise.all([one.says('ab'), three.says('c')]);
  await until(() => server.ends.length === 1);
  expect(server.ends).toEqual(['reset']);
});

test('cut, every open connection is reset on both sides, and a new one passes', async () => {
  const { server, proxy } = await through();
  const [one, two] = await Promise.all([client(at(proxy)), client(at(proxy))]);
  one.socket.write('a');
  two.socket.write('a');
  await Promise.all([one.says('a'), two.says('a')]);
  proxy.cut();
  await until(() => one.state.ended !== '' && two.state.ended !== '' && server.ends.length === 2);
  expect([one.state.ended, two.state.ended]).toEqual(['ECONNRESET', 'ECONNRESET']);
  expect(server.ends).toEqual(['reset', 'reset']);
  const three = await client(at(proxy));
  three.socket.write('b');
  await three.says('b');
});

test('a reset by one side is passed on to the other', async () => {
  const { server, proxy } = await through();
  const one = await client(at(proxy));
  one.socket.write('a');
  await one.says('a');
  one.socket.resetAndDestroy();
  await until(() => server.ends.length === 1);
  expect(server.ends).toEqual(['reset']);
});

test('the n-th matching request is cut before it is forwarded: the server never sees it', async () => {
  const { server, proxy } = await through();
  const done = proxy.cutRequest({ matching: 'SET', nth: 2, when: 'before' });
  const one = await client(at(proxy));
  one.socket.write('SET 1;');
  await one.says('SET 1;');
  one.socket.write('GET;');
  await one.says('SET 1;GET;');
  one.socket.write('SET 2;');
  await done;
  await until(() => one.state.ended !== '');
  expect([one.state.ended, one.state.text]).toEqual(['ECONNRESET', 'SET 1;GET;']);
  expect(server.text()).toBe('SET 1;GET;');
  expect(proxy.counters().matched).toBe(2);
});

test('the n-th matching request is cut after it was answered: the server has it, the answer is dropped', async () => {
  const { server, proxy } = await through();
  const done = proxy.cutRequest({ matching: Buffer.from('SET'), nth: 1, when: 'after' });
  const one = await client(at(proxy));
  one.socket.write('GET;');
  await one.says('GET;');
  one.socket.write('SET;');
  await done;
  await until(() => one.state.ended !== '' && server.ends.length === 1);
  expect([one.state.ended, one.state.text]).toEqual(['ECONNRESET', 'GET;']);
  expect([server.text(), server.ends]).toEqual(['GET;SET;', ['ended']]);
  const two = await client(at(proxy));
  two.socket.write('SET;');
  await two.says('SET;');
});

test('a request torn anywhere is recognised, and counted once', async () => {
  const { server, proxy } = await through();
  proxy.set({ kind: 'slice', bytes: 1 }, 'requests');
  const done = proxy.cutRequest({ matching: 'NEEDLE', nth: 3, when: 'before' });
  const one = await client(at(proxy));
  for (const piece of ['NEE', 'DLE NEEDL', 'E N']) {
    one.socket.write(piece);
    await until(() => server.text().endsWith(piece));
  }
  expect(proxy.counters().matched).toBe(2);
  one.socket.write('EEDLE');
  await done;
  expect(proxy.counters().matched).toBe(3);
});

test('a server that is not there resets the client', async () => {
  const { port } = await echoServer();
  const gone = await startProxy({ to: { port } });
  onTestFinished(gone.close);
  const proxy = await startProxy({ to: { port: gone.port } });
  onTestFinished(proxy.close);
  await gone.refuse();
  const one = await client(at(proxy));
  await until(() => one.state.ended !== '');
  expect(one.state.ended).toBe('ECONNRESET');
});
