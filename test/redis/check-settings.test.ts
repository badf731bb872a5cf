import { expect, test } from 'vitest';
import { judgeSettings } from '../../src/redis/check-settings.ts';
import type { RedisSettings } from '../../src/redis/read-settings.ts';

const GOOD: RedisSettings = {
  version: '7.0.15',
  appendOnly: true,
  evictionPolicy: 'noeviction',
  fsync: 'always',
  usedMemoryBytes: 1,
  maxMemoryBytes: 0,
  fencing: null,
};

test.each([
  ['all as expected', {}, []],
  ['a newer version', { version: '8.2.1' }, []],
  ['a version before script flags', { version: '6.2.14' }, [['impossible', 'version']]],
  ['an eviction policy', { evictionPolicy: 'allkeys-lru' }, [['refused', 'eviction']]],
  ['eviction of keys with a time to live', { evictionPolicy: 'volatile-ttl' }, [['refused', 'eviction']]],
  [
    'no append-only file: fsync means nothing then',
    { appendOnly: false, fsync: 'everysec' },
    [['refused', 'append-only']],
  ],
  ['fsync every second', { fsync: 'everysec' }, [['warning', 'fsync']]],
  ['fsync left to the system', { fsync: 'no' }, [['warning', 'fsync']]],
  ['CONFIG refused', { fsync: null }, [['warning', 'unreadable']]],
  [
    'a master under Sentinel that stops without replicas',
    { fencing: { minReplicas: 1, maxLagSeconds: 10 } },
    [],
  ],
  [
    'one that goes on without replicas',
    { fencing: { minReplicas: 0, maxLagSeconds: 10 } },
    [['refused', 'fencing']],
  ],
  [
    'one that goes on for longer than its workers are waited for',
    { fencing: { minReplicas: 2, maxLagSeconds: 11 } },
    [['refused', 'fencing']],
  ],
  [
    'one that takes any replica for present',
    { fencing: { minReplicas: 1, maxLagSeconds: 0 } },
    [['refused', 'fencing']],
  ],
  [
    'one that does not say',
    { fencing: { minReplicas: null, maxLagSeconds: null } },
    [['warning', 'unreadable']],
  ],
  [
    'nothing to be read',
    { version: null, appendOnly: null, evictionPolicy: null, fsync: null },
    [['warning', 'unreadable']],
  ],
  [
    'several at once',
    { version: '6.0.0', appendOnly: false, evictionPolicy: 'allkeys-lfu' },
    [
      ['impossible', 'version'],
      ['refused', 'eviction'],
      ['refused', 'append-only'],
    ],
  ],
])('%s is judged as it should be', (_, over, expected) => {
  const findings = judgeSettings({ ...GOOD, ...over });
  expect(findings.map(({ kind, setting }) => [kind, setting])).toEqual(expected);
});

test('a finding names what is set, what was expected, and the two places to set it in', () => {
  const [finding] = judgeSettings({ ...GOOD, evictionPolicy: 'allkeys-lru' });
  expect(finding?.problem).toMatch(/^maxmemory-policy is allkeys-lru, expected noeviction: /);
  expect(finding?.advice).toBe(
    '`CONFIG SET maxmemory-policy noeviction`, and `maxmemory-policy noeviction` in redis.conf so that it stays.',
  );
});

test('what can not be read is named', () => {
  const [finding] = judgeSettings({ ...GOOD, fsync: null, evictionPolicy: null });
  expect(finding?.problem).toContain("doesn't let maxmemory-policy, appendfsync be read");
});
