import { expect, test } from 'vitest';
import { pauseAfter } from '../../src/notify/channel.ts';
import { eventBody, eventId, type RunData } from '../../src/notify/event.ts';

const RUN: RunData = {
  run: '20261121-034512-k3f9',
  job: 'partner-x',
  target: 'https://api.example.com',
  state: 'finished',
  reason: null,
  rows: 10,
  outcomes: { created: 8, rejected: 2 },
  open: 0,
  controlTotal: true,
  exitCode: 1,
  causes: [],
  report: '/srv/onboard/reports/20261121-034512-k3f9',
};

test('the same event has the same id, and another one another', () => {
  const id = eventId('run.paused', 'r-1', '17');
  expect(id).toMatch(/^msg_[\w-]{24}$/);
  expect(eventId('run.paused', 'r-1', '17')).toBe(id);
  const others = [
    eventId('run.paused', 'r-1', '18'),
    eventId('run.paused', 'r-2', '17'),
    eventId('run.stopped', 'r-1', '17'),
  ];
  expect(new Set([id, ...others]).size).toBe(4);
});

test('an event stays thin: five causes, and of each no more than its beginning', () => {
  const causes = Array.from({ length: 1_000 }, (_, i) => ({ text: '€'.repeat(5_000), count: i }));
  const body = eventBody({
    id: 'msg_1',
    type: 'run.finished',
    at: new Date('2026-11-21T04:00:00Z'),
    data: { ...RUN, causes },
  });
  expect(Buffer.byteLength(body)).toBeLessThan(20_000);
  const parsed: unknown = JSON.parse(body);
  expect(parsed).toMatchObject({
    type: 'onboard.run.finished',
    timestamp: '2026-11-21T04:00:00.000Z',
    data: { job: 'partner-x', outcomes: { created: 8, rejected: 2 } },
  });
});

test('pauses grow as the channel says, spread by a fifth, and end', () => {
  const channel = { pausesMs: [1_000, 60_000] };
  const after = (tries: number, random: number, afterMs: number | null = null) =>
    pauseAfter(channel, tries, { afterMs, random: () => random });
  expect([after(1, 0), after(1, 0.5), after(1, 1)]).toEqual([800, 1_000, 1_200]);
  expect([after(2, 0.5), after(3, 0.5)]).toEqual([60_000, null]);
  // What the receiver asks for is kept, a day at most.
  expect([after(1, 0.5, 5_000), after(1, 0.5, 10 ** 12)]).toEqual([5_000, 86_400_000]);
});
