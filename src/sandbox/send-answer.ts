import type { ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';

/** Carries the answer out on the request's connection. */
export function sendAnswer(response: ServerResponse, answer: Answer): void {
  switch (answer.kind) {
    case 'response':
      sendResponse(response, answer);
      return;
    case 'cut':
      sendHalf(response, answer);
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'close':
      response.socket?.destroy();
      return;
    case 'hang':
      return;
    default:
      answer satisfies never;
  }
}

function sendResponse(response: ServerResponse, answer: Extract<Answer, { kind: 'response' }>): void {
  response.statusCode = answer.status;
  for (const name in answer.headers) response.setHeader(name, answer.headers[name] ?? '');
  // Without a head written before, node sets the content-length and sends head and body in one packet.
  response.end(answer.body);
}

function sendHalf(response: ServerResponse, answer: Extract<Answer, { kind: 'cut' }>): void {
  const body = Buffer.from(answer.body);
  const { socket } = response;
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.destroySoon());
}
