import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import { errorAnswer, labelOf } from './answer.ts';
import type { ReceivedCall } from './answer-call.ts';
import { answerCall, faultTarget } from './answer-call.ts';
import { answerControl } from './answer-control.ts';
import type { SandboxControl } from './control.ts';
import type { ControlledParts } from './create-control.ts';
import { matchCall } from './match-call.ts';
import type { ReceivedBody } from './read-body.ts';
import { readBody } from './read-body.ts';
import { sendAnswer } from './send-answer.ts';

/** What a request handler works with. */
export type HandlerParts = ControlledParts & { readonly control: SandboxControl };

export type Handler = {
  handle(request: IncomingMessage, response: ServerResponse): void;
  /** Forgets the answers that are still held back. */
  dropDelayed(): void;
};

/** Handles every request of the server: control calls below /sandbox/, all else as the service would. */
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
        if (request.url?.startsWith('/sandbox/')) {
          sendControl(request, response, body, handler.control);
          return;
        }
        const { answer, delayMs } = answerOperation(request, body, handler);
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

/** The work is done at once and only its answer held back, so that the counts are true even where the caller has gone. */
function answerOperation(request: IncomingMessage, body: ReceivedBody, handler: HandlerParts): DueAnswer {
  const { method = '', url: target = '', headers } = request;
  handler.log.record({ method, target, contentType: headers['content-type'] ?? null, body: body.text });
  const matched = matchCall(method, target);
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
  if (plan.down) return { answer: { kind: 'reset' }, delayMs: 0 };
  const delayMs = plan.faults.delayMs(faultTarget(call));
  return { answer: answerCall(call, parts, plan.faults), delayMs };
}

function sendControl(
  request: IncomingMessage,
  response: ServerResponse,
  body: ReceivedBody,
  control: SandboxControl,
): void {
  const { method = '', url: target = '' } = request;
  const answer = answerControl({ method, target, body }, control);
  if (answer.kind !== 'stream') {
    sendAnswer(response, answer);
    return;
  }
  response.setHeader('content-type', 'application/x-ndjson');
  response.on('close', () => answer.lines.destroy());
  answer.lines.pipe(response);
}
