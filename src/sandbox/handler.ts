/** One HTTP request from its first byte to its answer: read, carried out, delayed, counted. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Answer, errorAnswer, labelOf } from './answer.ts';
import { answerCall, faultTarget, type ReceivedCall } from './calls.ts';
import { answerControl, type ControlledParts, type SandboxControl } from './control.ts';
import { matchAny, matchCall, type ReceivedBody, readBody } from './received.ts';

type HandlerParts = ControlledParts & { readonly control: SandboxControl };

export type Handler = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Drops the answers that are still held back. */
  dropDelayed(): void;
};

export function createHandler(handler: HandlerParts): Handler {
  const delayed = new Set<NodeJS.Timeout>();
  const sendLater = (response: ServerResponse, answer: Answer, ms: number) => {
    const timer = setTimeout(() => {
      delayed.delete(timer);
      sendAnswer(response, answer);
    }, ms);
    delayed.add(timer);
  };

  return {
    handle(request, response) {
      readBody(request, (body) => {
        const { method = '', url = '' } = request;
        const { answer, delayMs } = url.startsWith('/sandbox/')
          ? { answer: answerControl(method, url, handler.control), delayMs: 0 }
          : answerOperation(request, body, handler);
        if (delayMs > 0) sendLater(response, answer, delayMs);
        else sendAnswer(response, answer);
      });
    },
    dropDelayed() {
      for (const timer of delayed) clearTimeout(timer);
      delayed.clear();
    },
  };
}

type DueAnswer = { readonly answer: Answer; readonly delayMs: number };

/** Only the answer is held back, so that the counts are right even where the caller has gone. */
function answerOperation(request: IncomingMessage, body: ReceivedBody, handler: HandlerParts): DueAnswer {
  const { method = '', url: target = '', headers } = request;
  const matched = matchCall(method, target) ?? matchAny(method, target);
  const due =
    matched === null
      ? { answer: errorAnswer(404, 'no such operation'), delayMs: 0 }
      : answerMatched(
          { ...matched, authorization: headers.authorization, body, key: handler.keyOf(matched, body) },
          handler,
        );
  handler.counts.add(matched?.call ?? 'unknown', labelOf(due.answer));
  return due;
}

function answerMatched(call: ReceivedCall, { parts, plan }: HandlerParts): DueAnswer {
  const delayMs = plan.faults.delayMs(faultTarget(call));
  return { answer: answerCall(call, parts, plan.faults), delayMs };
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
