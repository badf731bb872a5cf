import { connect, createServer, type Socket } from 'node:net';
import { atTestEnd } from './at-test-end.ts';
import { listen } from './server.ts';

/** What a proxy does once it has read a whole CONNECT: `tunnel` leads to the service. */
export type ProxyAnswer = (socket: Socket, tunnel: () => Socket) => void;

/** A status line and no more, with which the connection stays open, as proxies that ask for a login leave it. */
export const answers =
  (status: number): ProxyAnswer =>
  (socket) =>
    void socket.write(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`);

export const opens: ProxyAnswer = (socket, tunnel) => {
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  tunnel();
};

/** Leads whatever host is asked for to that port; says what it was sent before its answers. */
export async function startConnectProxy(to: number, answer: ProxyAnswer = opens) {
  const asked: string[] = [];
  const proxy = { answer };
  const server = createServer((socket) => {
    atTestEnd(() => void socket.destroy());
    // A connection that the test breaks is what the test is about.
    socket.on('error', () => undefined);
    let head = '';
    const onData = (bytes: Buffer) => {
      head += bytes.toString('latin1');
      if (!head.endsWith('\r\n\r\n')) return;
      socket.off('data', onData);
      asked.push(head);
      proxy.answer(socket, () => {
        const service = connect(to, '127.0.0.1');
        service.on('error', () => socket.destroy()).on('close', () => socket.destroy());
        socket.on('close', () => service.destroy());
        socket.pipe(service).pipe(socket);
        return service;
      });
    };
    socket.on('data', onData);
  });
  const port = await listen(server);
  atTestEnd(() => void server.close());
  return { url: `http://127.0.0.1:${port}`, port, asked, proxy };
}
