import { applyEvent } from './apply-event.ts';
import { expectEnded, Violation } from './checks.ts';
import type { Event } from './events.ts';
import { handRow, type RowHand, type Slot } from './state.ts';
import type { Bench } from './world.ts';

/** A worker that begins anew in the slot takes the chunk, with the service well, until it is closed. */
export async function drain(bench: Bench, slot: Slot = 0): Promise<void> {
  const { state } = bench;
  if (state.away !== null) {
    await bench.workers.epoch(state.away).verify();
    state.away = null;
  }
  await applyEvent(bench, { kind: 'crash', slot, journal: 'kept' });
  for (let takes = 0; state.view?.closed !== true; takes += 1) {
    if (takes > 3) throw new Violation('the chunk does not come to its end');
    if (state.view?.record.state === 'paused') await applyEvent(bench, { kind: 'resume' });
    await applyEvent(bench, { kind: 'take', slot });
    for (const { row } of state.atWork[slot].hand?.rows ?? []) await drainRow(bench, slot, row);
    await applyEvent(bench, { kind: 'close', slot, heard: true });
  }
  expectEnded(bench);
}

async function drainRow(bench: Bench, slot: Slot, row: number): Promise<void> {
  for (;;) {
    const hand = handRow(bench.state, slot, row);
    const event = hand === undefined ? null : nextEvent(slot, hand);
    if (event === null) return;
    await applyEvent(bench, event);
  }
}

function nextEvent(slot: Slot, { row, phase }: RowHand): Event | null {
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
