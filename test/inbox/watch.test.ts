import { expect, test } from 'vitest';
import type { Refused } from '../../src/inbox/sort-out.ts';
import { createLookClock } from '../../src/inbox/wake.ts';
import { createLookAndRefuse, createStallNotice } from '../../src/inbox/watch.ts';
import { entryOf, inboxOf } from './files.ts';

function bench() {
  const told: string[] = [];
  const at = { now: 0, standing: 'r 0/10', reads: 0 };
  const notice = createStallNotice({
    standing: async () => {
      at.reads += 1;
      return at.standing;
    },
    tell: (text) => told.push(text),
    now: () => at.now,
  });
  const lookAt = async (now: number, standing = at.standing) => {
    Object.assign(at, { now, standing });
    await notice.look();
    return told.length;
  };
  return { at, told, lookAt };
}

test('that rows wait for a worker is said once a minute, as long as nothing moves', async () => {
  const { at, told, lookAt } = bench();
  const counts = [await lookAt(0), await lookAt(30_000), await lookAt(60_000), await lookAt(90_000)];
  expect([...counts, await lookAt(120_000)]).toEqual([0, 0, 1, 1, 2]);
  expect(told[0]).toContain('`onboard work`');
  expect(at.reads).toBe(3);
});

test('the minute begins with the run, which comes a little after its file was claimed', async () => {
  const { lookAt } = bench();
  const counts = [await lookAt(0, ''), await lookAt(5_000, 'r 0/10'), await lookAt(64_999)];
  expect([...counts, await lookAt(65_000)]).toEqual([0, 0, 0, 1]);
});

/** Looks at an inbox full of entries that can't be taken, where putting one aside takes 10 ms. */
async function lookAtFull(entries: number, interruptedAt = Number.POSITIVE_INFINITY) {
  const at = { now: 0, moved: 0 };
  const clock = createLookClock(() => at.now);
  const one: Refused = { inbox: inboxOf([]), entry: entryOf('x.bin'), why: 'no job', fault: 'no-load' };
  const lookAndRefuse = createLookAndRefuse({
    clock,
    look: async () => {
      const refuse = Array.from({ length: entries - at.moved }, () => one);
      return { atHand: [], refuse, folders: [], left: [], nextMs: null };
    },
    refuse: async () => {
      at.now += 10;
      at.moved += 1;
      return 'moved';
    },
    isInterrupted: () => at.moved >= interruptedAt,
  });
  await lookAndRefuse();
  return { at, clock, lookAndRefuse };
}

test('entries that can not be taken hold up neither other files nor the next look', async () => {
  const { at, clock, lookAndRefuse } = await lookAtFull(1_200);
  const first = { moved: at.moved, wanted: clock.isLookWanted(), leftMs: clock.leftMs() };
  expect(first).toEqual({ moved: 500, wanted: true, leftMs: 0 });
  await lookAndRefuse();
  await lookAndRefuse();
  expect({ moved: at.moved, wanted: clock.isLookWanted() }).toEqual({ moved: 1_200, wanted: false });
});

test('a signal ends the putting aside of entries', async () => {
  const { at } = await lookAtFull(100, 3);
  expect(at.moved).toBe(3);
});
