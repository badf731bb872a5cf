/** One HTTP request, from its first byte to its answer. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Answer, errorAnswer, labelOf } from './answer.ts';
import { answerCall, faultTarget, type SandboxParts } from './calls.ts';
import { answerControl, type SandboxControl } from './control.ts';
import { keyOf, matchAny, matchCall, type ReceivedBody, readBody } from './received.ts';

export function createHandler(parts: SandboxParts, control: SandboxControl): RequestListener {
  return (request, response) =>
    readBody(request, (body) => {
      const { method = '', url = '' } = request;
      if (url.startsWith('/sandbox/')) return sendAnswer(response, answerControl(method, url, control));
      const { answer, delayMs } = answerOperation(request, body, parts);
      // Only the answer is held back: the counts are right even where the caller has gone.
      if (delayMs > 0) setTimeout(sendAnswer, delayMs, response, answer).unref();
      else sendAnswer(response, answer);
    });
}

type DueAnswer = { readonly answer: Answer; readonly delayMs: number };

function answerOperation(request: IncomingMessage, body: ReceivedBody, parts: SandboxParts): DueAnswer {
  const { method = '', url: target = '', headers } = request;
  const matched = matchCall(method, target) ?? matchAny(method, target);
  if (matched === null) {
    const answer = errorAnswer(404, 'no such operation');
    parts.counts.add('unknown', labelOf(answer));
    return { answer, delayMs: 0 };
  }
  const call = { ...matched, authorization: headers.authorization, body, key: keyOf(matched, body) };
  const delayMs = parts.faults.delayMs(faultTarget(call));
  const answer = answerCall(call, parts);
  parts.counts.add(matched.call, labelOf(answer));
  return { answer, delayMs };
}

function sendAnswer(response: ServerResponse, answer: Answer): void {
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
  // Without an earlier head, Node sends the content-length, head and body in one packet.
  response.end(answer.body);
}

function sendHalf(response: ServerResponse, answer: Extract<Answer, { kind: 'cut' }>): void {
  const body = Buffer.from(answer.body);
  const { socket } = response;
  response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
  response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.destroySoon());
}
