import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../support/until.ts';
import { startProxy, type TcpProxy } from './support/proxy.ts';

/** A server that answers every piece with itself, and remembers what it got. */
async function echoServer() {
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
  server.listen(0, '127.0.0.1');
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
async function client(port: number) {
  const state = { text: '', ended: '' };
  const socket = connect({ port, noDelay: true });
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

async function through() {
  const server = await echoServer();
  const proxy = await startProxy(server.port);
  onTestFinished(() => proxy.close());
  return { server, proxy };
}

const at = ({ port }: TcpProxy) => port;

test('refusing, new connections fail and open ones go on; accepting again, it is at the same place', async () => {
  const { proxy } = await through();
  const one = await client(at(proxy));
  proxy.refuse();
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
  proxy.hold();
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
  proxy.letGo();
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

test('the answer to a request is lost: the server has it, wherever it was torn, and the next answer passes', async () => {
  const { server, proxy } = await through();
  const done = proxy.loseReplyTo('NEEDLE');
  const one = await client(at(proxy));
  for (const piece of ['NEE ', 'NEED']) {
    one.socket.write(piece);
    await until(() => server.text().endsWith(piece));
  }
  await one.says('NEE NEED');
  one.socket.write('LE;');
  await done;
  await until(() => one.state.ended !== '' && server.ends.length === 1);
  expect([one.state.ended, one.state.text]).toEqual(['ECONNRESET', 'NEE NEED']);
  expect([server.text(), server.ends]).toEqual(['NEE NEEDLE;', ['ended']]);
  const two = await client(at(proxy));
  two.socket.write('NEEDLE;');
  await two.says('NEEDLE;');
});
