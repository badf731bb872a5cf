import { once } from 'node:events';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** How one direction of a proxy treats what passes. */
export type LaneMode =
  | { readonly kind: 'pass' }
  /** Every piece arrives `ms` ± `jitterMs` later, in order; the latency adds up no queue. */
  | { readonly kind: 'delay'; readonly ms: number; readonly jitterMs?: number }
  /** Pieces of `bytes` each, `pauseMs` (default 0: the next turn of the event loop) apart. */
  | { readonly kind: 'slice'; readonly bytes: number; readonly pauseMs?: number }
  /** A black hole: connections stay open and nothing passes, until another mode is set; then what was held passes. */
  | { readonly kind: 'hold' };

/** The mode of one direction, shared by all connections of a proxy. */
export type LaneControl = {
  mode(): LaneMode;
  set(mode: LaneMode): void;
  /** Resolves when the lane is not held. */
  open(): Promise<void>;
};

/** More than this waiting in one lane of one connection stops its sender. */
const WAITING_MAX_BYTES = 1_048_576;

/** Begins in mode `pass`. */
export function createLaneControl(): LaneControl {
  let mode: LaneMode = { kind: 'pass' };
  let waiting: Array<() => void> = [];
  return {
    mode: () => mode,
    set(next) {
      mode = next;
      if (mode.kind === 'hold') return;
      for (const go of waiting) go();
      waiting = [];
    },
    async open() {
      while (mode.kind === 'hold') await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

export type LaneEdges = {
  readonly from: Socket;
  readonly to: Socket;
  readonly control: LaneControl;
  readonly random: () => number;
  /** Called with every piece in order before it passes; false: it does not pass. */
  admit(bytes: Buffer): boolean;
  /** Called when a piece has passed. */
  passed(bytes: Buffer): void;
};

type Piece = { readonly bytes: Buffer; readonly dueAt: number };

/** Carries bytes from one socket to the other as the control says, until the sender ends or either is destroyed. */
export async function runLane(edges: LaneEdges): Promise<void> {
  const { to, control } = edges;
  const inbox = createInbox(edges);
  for (;;) {
    const piece = await inbox.next();
    if (piece === null) break;
    const wait = piece.dueAt - performance.now();
    if (wait > 0) await sleep(wait);
    await control.open();
    if (to.destroyed) return;
    if (!edges.admit(piece.bytes)) continue;
    await write(to, piece.bytes, control.mode());
    edges.passed(piece.bytes);
  }
  // The end of a connection is news too: in a black hole it does not pass either.
  await control.open();
  if (!to.destroyed) to.end();
}

async function write(to: Socket, bytes: Buffer, mode: LaneMode): Promise<void> {
  const size = mode.kind === 'slice' ? mode.bytes : bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    if (to.destroyed) return;
    const goesOn = to.write(bytes.subarray(at, at + size));
    if (!goesOn) await Promise.race([once(to, 'drain'), once(to, 'close')]).catch(() => undefined);
    if (mode.kind === 'slice') await sleep(mode.pauseMs ?? 0);
  }
}

/** What has come in and waits for its turn; `null` after the sender's end. */
function createInbox({ from, control, random }: LaneEdges) {
  const pieces: Piece[] = [];
  let waitingBytes = 0;
  let ended = false;
  let wake = () => {};
  const end = () => {
    ended = true;
    wake();
  };
  from.on('data', (bytes: Buffer) => {
    pieces.push({ bytes, dueAt: performance.now() + delayOf(control.mode(), random) });
    waitingBytes += bytes.length;
    if (waitingBytes > WAITING_MAX_BYTES) from.pause();
    wake();
  });
  from.on('end', end);
  from.on('close', end);
  return {
    async next(): Promise<Piece | null> {
      for (;;) {
        const piece = pieces.shift();
        if (piece !== undefined) {
          waitingBytes -= piece.bytes.length;
          if (waitingBytes <= WAITING_MAX_BYTES) from.resume();
          return piece;
        }
        if (ended) return null;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function delayOf(mode: LaneMode, random: () => number): number {
  if (mode.kind !== 'delay') return 0;
  return mode.ms + (random() * 2 - 1) * (mode.jitterMs ?? 0);
}
