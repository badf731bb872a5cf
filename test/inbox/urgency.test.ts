import { describe, expect, test } from 'vitest';
import { type Job, jobDefinitionSchema, type Priority } from '../../src/config/job-definition.ts';
import type { LeftClaim } from '../../src/inbox/recover.ts';
import { byUrgency, mostUrgent, weightOfJob } from '../../src/inbox/urgency.ts';

function jobOf(priority: Priority): Job {
  return {
    name: priority,
    definition: jobDefinitionSchema.parse({ operation: 'subclient.create', priority }),
  };
}

const BOOK = { jobs: () => [jobOf('low'), jobOf('normal'), jobOf('high')] };

const fileOf = (name: string, priority: Priority) => ({ name, job: jobOf(priority) });

function claimOf(id: string, job: string): LeftClaim {
  const info = {
    job,
    target: 'sandbox',
    inbox: '/in',
    path: `${id}.csv`,
    claimedAt: '2026-11-21T10:00:00.000Z',
    stamp: '',
    marker: null,
    isAbroad: false,
  };
  const found = {
    id,
    folder: `/processing/${id}`,
    member: 'm',
    beat: 0,
    info,
    name: null,
    hasMarker: false,
    copied: null,
  };
  return { found, hasInbox: true };
}

describe('what is at hand', () => {
  test('is begun by priority, and in the order in which it was found where that is the same', () => {
    const left = [claimOf('a', 'low'), claimOf('b', 'high'), claimOf('c', 'low')];
    const take = [fileOf('d', 'normal'), fileOf('e', 'high'), fileOf('f', 'low'), fileOf('g', 'high')];
    const ordered = byUrgency({ left, take }, BOOK);
    expect(ordered.left.map(({ found }) => found.id)).toEqual(['b', 'a', 'c']);
    expect(ordered.take.map(({ name }) => name)).toEqual(['e', 'g', 'd', 'f']);
  });

  test.each([
    ['a claim before a file of the same priority', 'normal', 'normal', { kind: 'claim', weight: 4 }],
    ['a claim before a file of a lower one', 'high', 'normal', { kind: 'claim', weight: 16 }],
    ['a file of a higher one before a claim', 'low', 'high', { kind: 'file', weight: 16 }],
    ['the claim where there is no file', 'low', null, { kind: 'claim', weight: 1 }],
    ['the file where there is no claim', null, 'low', { kind: 'file', weight: 1 }],
    ['nothing where there is nothing', null, null, null],
  ] as const)('is begun with %s', (_, claim, file, next) => {
    const left = claim === null ? [] : [claimOf('a', claim)];
    const take = file === null ? [] : [fileOf('b', file)];
    expect(mostUrgent({ left, take }, BOOK)).toEqual(next);
  });
});

test('a job of which there is no definition any more is a usual one', () => {
  expect([weightOfJob('high', BOOK), weightOfJob('gone', BOOK), weightOfJob(undefined, BOOK)]).toEqual([
    16, 4, 4,
  ]);
});
