import type { Socket } from 'node:net';
import { createServer } from 'node:net';
import { listen } from '../../support/server.ts';

/** A TCP server that counts connections and hands over each whole request as text. */
export type RawServer = {
  readonly port: number;
  readonly connections: () => number;
  /** Every whole request received so far. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

/** Answers each request with what `answer` does to the socket. */
export async function rawServer(answer: (socket: Socket, request: string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // A connection that the test breaks is what the test is about.
    socket.on('error', () => undefined);
    readRequests(socket, (request) => {
      requests.push(request);
      answer(socket, request);
    });
  });
  const port = await listen(server);
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, connections: () => connections, requests, close };
}

/** A whole HTTP/1.1 answer with a body of known length. */
export function answerText(status: number, body: string, headers: readonly string[] = []): string {
  const lines = [`HTTP/1.1 ${status} X`, `content-length: ${Buffer.byteLength(body)}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Requests with a content-length, or without a body. */
function readRequests(socket: Socket, onRequest: (request: string) => void): void {
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
    for (let end = endOf(text); end !== null && end <= text.length; end = endOf(text)) {
      const request = text.slice(0, end);
      text = text.slice(end);
      onRequest(request);
    }
  });
}

function endOf(text: string): number | null {
  const head = text.indexOf('\r\n\r\n');
  if (head === -1) return null;
  const length = /content-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? '0';
  return head + 4 + Number(length);
}
