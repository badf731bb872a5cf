// A service that answers every POST with a fresh id after so many milliseconds, and counts. Usage: service <delay in ms>
// It speaks just enough HTTP for the bench, as cheaply as it can: what it takes longer than its delay the program would
// seem to need. Prints {"port": …} when it listens; a GET is answered with what it counted,
// a DELETE forgets it.
import { createServer, type Socket } from 'node:net';
import type { ServiceNumbers } from './fast-service.ts';
import { createRequestCutter } from './request-cutter.ts';

/** Answers come so much earlier or later than the delay, at random: with one delay for all, requests would stay in step for ever. */
const SPREAD_MS = 5;
/** How fast the timers' lateness is learned. */
const LEARNING = 0.02;

const delayMs = Number(process.argv[2]);
const answeredAt: number[] = [];
const NOTHING = { requests: 0, firstRequestAt: 0, heldTotal: 0, heldMost: 0 };
const counts = { ...NOTHING };
/** When the first request of each path was read. */
const firstByPath = new Map<string, number>();
let ids = 0;
/** How much longer than wanted answers are held: Node's timers count whole milliseconds, and wait for their turn. */
let latenessMs = 0;

const server = createServer({ noDelay: true }, (socket) => {
  socket.setEncoding('latin1');
  socket.on(
    'data',
    createRequestCutter((method, path) => {
      if (method === 'POST') take(socket, path);
      else if (method === 'GET') write(socket, JSON.stringify(numbers()));
      else forget(socket);
    }),
  );
  socket.on('error', () => socket.destroy());
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${JSON.stringify(server.address())}\n`));

function now(): number {
  return performance.timeOrigin + performance.now();
}

function forget(socket: Socket): void {
  Object.assign(counts, NOTHING);
  answeredAt.length = 0;
  firstByPath.clear();
  write(socket, '{}');
}

function take(socket: Socket, path: string): void {
  const readAt = now();
  counts.requests += 1;
  if (counts.requests === 1) counts.firstRequestAt = readAt;
  if (!firstByPath.has(path)) firstByPath.set(path, readAt);
  if (delayMs === 0) answer(socket, readAt);
  else answerLater(socket, readAt);
}

function answerLater(socket: Socket, readAt: number): void {
  const wantedMs = delayMs + (Math.random() * 2 - 1) * SPREAD_MS;
  setTimeout(
    () => {
      answer(socket, readAt);
      latenessMs += LEARNING * (now() - readAt - wantedMs);
    },
    Math.round(wantedMs - latenessMs),
  );
}

function answer(socket: Socket, readAt: number): void {
  ids += 1;
  write(socket, `{"id":"sub-${process.pid}-${ids}"}`);
  const at = now();
  answeredAt.push(at);
  counts.heldTotal += at - readAt;
  counts.heldMost = Math.max(counts.heldMost, at - readAt);
}

function write(socket: Socket, json: string): void {
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json}`,
    'latin1',
  );
}

function numbers(): ServiceNumbers {
  const answers = answeredAt.length;
  const lastAnswerAt = answeredAt.at(-1) ?? 0;
  return {
    requests: counts.requests,
    firstRequestAt: counts.firstRequestAt,
    firstByPath: Object.fromEntries(firstByPath),
    lastAnswerAt,
    heldMeanMs: answers === 0 ? 0 : counts.heldTotal / answers,
    heldMostMs: counts.heldMost,
    rate: perSecond(answers, lastAnswerAt - counts.firstRequestAt),
    middleRate: middleRate(),
  };
}

/** Between a fifth and four fifths of the answers: everybody has begun, and nobody has run out of rows. */
function middleRate(): number {
  const from = Math.floor(answeredAt.length / 5);
  const to = Math.floor((answeredAt.length * 4) / 5);
  return perSecond(to - from, (answeredAt[to] ?? 0) - (answeredAt[from] ?? 0));
}

function perSecond(count: number, ms: number): number {
  return ms > 0 ? (count * 1000) / ms : 0;
}
