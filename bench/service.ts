// A service that answers every POST with a fresh id after so many milliseconds, and counts. It
// speaks just enough HTTP for the bench, as cheaply as it can: what it takes longer than its delay
// the program would seem to need. Prints {"port": …} when it listens; a GET is answered with what
// it counted, a DELETE forgets it.
// Usage: service <delay in ms>
import { createServer, type Socket } from 'node:net';
import type { ServiceNumbers } from './servers.ts';

/**
 * Answers come so much earlier or later, at random: with one delay for all, requests would stay in
 * step.
 */
const SPREAD_MS = 5;
/** How fast the timers' lateness is learned. */
const LEARNING = 0.02;
const HEAD_END = '\r\n\r\n';
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;

const delayMs = Number(process.argv[2]);
const answeredAt: number[] = [];
let firstReadAt: number | null = null;
let heldTotalMs = 0;
let ids = 0;
/**
 * How much longer than wanted answers are held: Node's timers count whole milliseconds and wait
 * their turn.
 */
let latenessMs = 0;

const server = createServer({ noDelay: true }, (socket) => {
  let rest = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    rest += text;
    for (let end = requestEnd(rest); end !== null; end = requestEnd(rest)) {
      take(socket, rest.slice(0, rest.indexOf(' ')));
      rest = rest.slice(end);
    }
  });
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));

/**
 * Where the first request ends; `null` while its body is still to come. One character is one byte
 * (latin1).
 */
function requestEnd(text: string): number | null {
  const head = text.indexOf(HEAD_END);
  if (head === -1) return null;
  const length = Number(CONTENT_LENGTH.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + HEAD_END.length + length;
  return text.length < end ? null : end;
}

function take(socket: Socket, method: string): void {
  if (method === 'GET') write(socket, JSON.stringify(numbers()));
  else if (method === 'DELETE') forget(socket);
  else hold(socket, performance.now());
}

function forget(socket: Socket): void {
  answeredAt.length = 0;
  firstReadAt = null;
  heldTotalMs = 0;
  write(socket, '{}');
}

function hold(socket: Socket, readAt: number): void {
  firstReadAt ??= readAt;
  if (delayMs === 0) answer(socket, readAt);
  else answerLater(socket, readAt);
}

function answerLater(socket: Socket, readAt: number): void {
  const wantedMs = delayMs + (Math.random() * 2 - 1) * SPREAD_MS;
  setTimeout(
    () => {
      answer(socket, readAt);
      latenessMs += LEARNING * (performance.now() - readAt - wantedMs);
    },
    Math.round(wantedMs - latenessMs),
  );
}

function answer(socket: Socket, readAt: number): void {
  ids += 1;
  write(socket, `{"id":"sub-${process.pid}-${ids}"}`);
  const at = performance.now();
  answeredAt.push(at);
  heldTotalMs += at - readAt;
}

function write(socket: Socket, json: string): void {
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
    'latin1',
  );
}

function numbers(): ServiceNumbers {
  const answers = answeredAt.length;
  return {
    heldMeanMs: answers === 0 ? 0 : heldTotalMs / answers,
    rate: perSecond(answers, (answeredAt.at(-1) ?? 0) - (firstReadAt ?? 0)),
    middleRate: middleRate(),
  };
}

/**
 * Between a fifth and four fifths of the answers: every sender has begun, and none has run out of
 * rows.
 */
function middleRate(): number {
  const from = Math.floor(answeredAt.length / 5);
  const to = Math.floor((answeredAt.length * 4) / 5);
  return perSecond(to - from, (answeredAt[to] ?? 0) - (answeredAt[from] ?? 0));
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? (count * 1000) / ms : 0;
}
