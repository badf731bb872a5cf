import { expect, test } from 'vitest';
import { eventBody, newEvent } from '../../../src/faces/notify/event.ts';

const DATA = { target: 'https://api.example.com', run: 'r-1', rows: 3 };

test('an event is told in the form of Standard Webhooks', () => {
  const at = new Date('2026-11-21T04:00:00Z');
  expect(JSON.parse(eventBody(newEvent('run.finished', ['r-1'], DATA, at)))).toEqual({
    type: 'onboard.run.finished',
    timestamp: '2026-11-21T04:00:00.000Z',
    data: DATA,
  });
});

test('the same event has the same id whenever it is told, and another one another', () => {
  const { id } = newEvent('run.paused', ['r-1', '17'], DATA);
  expect(id).toMatch(/^msg_[\w-]{24}$/);
  expect(newEvent('run.paused', ['r-1', '17'], { ...DATA, rows: 4 }, new Date(0)).id).toBe(id);
  const others = [
    newEvent('run.paused', ['r-1', '18'], DATA),
    newEvent('run.paused', ['r-2', '17'], DATA),
    newEvent('run.stopped', ['r-1', '17'], DATA),
  ];
  expect(new Set([id, ...others.map((other) => other.id)]).size).toBe(4);
});
