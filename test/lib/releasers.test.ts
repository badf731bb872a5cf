import { expect, test } from 'vitest';
import { createReleasers } from '../../src/lib/releasers.ts';

test('what was opened last is closed first, each after the one before it has closed', async () => {
  const releasers = createReleasers();
  const steps: string[] = [];
  for (const name of ['server', 'connection', 'worker']) {
    releasers.push(async () => {
      steps.push(`${name} closes`);
      await new Promise((resolve) => setImmediate(resolve));
      steps.push(`${name} closed`);
    });
  }
  await releasers.release();
  const order = ['worker', 'connection', 'server'];
  expect(steps).toEqual(order.flatMap((name) => [`${name} closes`, `${name} closed`]));
});

test('released twice, also at the same time, each part is closed once and both callers wait for the end', async () => {
  const releasers = createReleasers();
  let closed = 0;
  releasers.push(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    closed += 1;
  });
  const first = releasers.release();
  const second = releasers.release();
  await second;
  expect(closed).toBe(1);
  await first;
  await releasers.release();
  expect(closed).toBe(1);
});

test('a part that fails to close keeps no other from closing, and the failures are told together', async () => {
  const releasers = createReleasers();
  const closed: string[] = [];
  releasers.push(() => void closed.push('first'));
  releasers.push(() => Promise.reject(new Error('second stuck')));
  releasers.push(() => void closed.push('third'));
  releasers.push(() => {
    throw new Error('fourth stuck');
  });
  const failure = await releasers.release().catch((error: unknown) => error);
  expect(closed).toEqual(['third', 'first']);
  expect(failure).toBeInstanceOf(AggregateError);
  expect(failure).toMatchObject({ errors: [new Error('fourth stuck'), new Error('second stuck')] });
});

test('where somebody wants to hear of it, a part that fails to close is told to them, and is no failure', async () => {
  const told: unknown[] = [];
  const releasers = createReleasers((error) => void told.push(error));
  releasers.push(() => Promise.reject(new Error('stuck')));
  await releasers.release();
  expect(told).toEqual([new Error('stuck')]);
});

test('what is opened while the others close is closed too', async () => {
  const releasers = createReleasers();
  const closed: string[] = [];
  releasers.push(() => void closed.push('early'));
  releasers.push(() => {
    closed.push('last');
    releasers.push(() => void closed.push('opened meanwhile'));
  });
  await releasers.release();
  expect(closed).toEqual(['last', 'opened meanwhile', 'early']);
});
