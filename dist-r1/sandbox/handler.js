import { errorAnswer, labelOf } from './answer.js';
import { answerCall, faultTarget } from './calls.js';
import { answerControl } from './control.js';
import { matchCall, readBody } from './received.js';
export function createHandler(handler) {
    const delayed = new Set();
    const sendLater = (response, answer, ms) => {
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
                if (delayMs > 0)
                    sendLater(response, answer, delayMs);
                else
                    sendAnswer(response, answer);
            });
        },
        dropDelayed() {
            for (const timer of delayed)
                clearTimeout(timer);
            delayed.clear();
        },
    };
}
/** Carries the request out at once and holds only its answer back, so that the counts are right even where the caller has gone. */
function answerOperation(request, body, handler) {
    const { method = '', url: target = '', headers } = request;
    handler.log.record({ method, target, contentType: headers['content-type'] ?? null, body: body.text });
    const matched = matchCall(method, target);
    const due = matched === null
        ? { answer: errorAnswer(404, 'no such operation'), delayMs: 0 }
        : answerMatched({ ...matched, authorization: headers.authorization, body, key: handler.keyOf(matched, body) }, handler);
    handler.counts.add(matched?.call ?? 'unknown', labelOf(due.answer));
    return due;
}
function answerMatched(call, { parts, plan }) {
    if (plan.down)
        return { answer: { kind: 'reset' }, delayMs: 0 };
    const delayMs = plan.faults.delayMs(faultTarget(call));
    return { answer: answerCall(call, parts, plan.faults), delayMs };
}
function sendControl(request, response, body, control) {
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
/** Carries the answer out on the request's connection. */
function sendAnswer(response, answer) {
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
            answer;
    }
}
function sendResponse(response, answer) {
    response.statusCode = answer.status;
    for (const name in answer.headers)
        response.setHeader(name, answer.headers[name] ?? '');
    // Without a head written before, node sets the content-length and sends head and body in one packet.
    response.end(answer.body);
}
function sendHalf(response, answer) {
    const body = Buffer.from(answer.body);
    const { socket } = response;
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
    response.write(body.subarray(0, Math.floor(body.length / 2)), () => socket?.destroySoon());
}
//# sourceMappingURL=handler.js.map