import { applyEvent } from './apply-event.ts';
import { expectEnded, Violation } from './checks.ts';
import type { Event } from './events.ts';
import { handRow, type RowHand } from './state.ts';
import type { Bench } from './world.ts';

/** A worker that begins anew takes the chunk, with the service well, until it is closed. */
export async function drain(bench: Bench): Promise<void> {
  const { state } = bench;
  if (state.away !== null) {
    await bench.workers.epoch(state.away).verify();
    state.away = null;
  }
  await applyEvent(bench, { kind: 'crash', slot: 0, journal: 'kept' });
  for (let takes = 0; state.view?.closed !== true; takes += 1) {
    if (takes > 3) throw new Violation('the chunk does not come to its end');
    if (state.view?.record.state === 'paused') await applyEvent(bench, { kind: 'resume' });
    await applyEvent(bench, { kind: 'take', slot: 0 });
    for (const { row } of state.atWork[0].hand?.rows ?? []) await drainRow(bench, row);
    await applyEvent(bench, { kind: 'close', slot: 0, heard: true });
  }
  expectEnded(bench);
}

async function drainRow(bench: Bench, row: number): Promise<void> {
  for (;;) {
    const hand = handRow(bench.state, 0, row);
    const event = hand === undefined ? null : nextEvent(hand);
    if (event === null) return;
    await applyEvent(bench, event);
  }
}

function nextEvent({ row, phase }: RowHand): Event | null {
  const slot = 0;
  switch (phase) {
    case 'planned':
      return { kind: 'intend', slot, row, heard: true };
    case 'granted':
      return { kind: 'send', slot, row, reply: 'accepted' };
    case 'answered':
    case 'ending':
      return { kind: 'finish', slot, row, heard: true };
    case 'ended':
    case 'let-go':
      return null;
    default:
      return phase satisfies never;
  }
}
