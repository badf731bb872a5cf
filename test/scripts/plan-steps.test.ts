import { describe, expect, test } from 'vitest';
import type { Facts } from '../../scripts/setup/plan-steps.mjs';
import { planSteps } from '../../scripts/setup/plan-steps.mjs';

const READY: Facts = {
  nodeVersion: 'v20.19.0',
  dependencies: 'installed',
  build: 'fresh',
  redis: { url: false, server: '/usr/bin/redis-server', managers: ['apt-get'], root: true, sudo: false },
};
const NO_SERVER = { ...READY.redis, server: null };

function kinds(facts: Partial<Facts>, wanted?: { build: boolean; redis: boolean }): readonly string[] {
  return planSteps({ ...READY, ...facts }, wanted).map((step) => step.kind);
}

function messageOf(facts: Partial<Facts>): string {
  return planSteps({ ...READY, ...facts })
    .map((step) => step.message)
    .join('\n');
}

function commandsOf(redis: Facts['redis']): readonly string[] {
  return planSteps({ ...READY, redis }).flatMap((step) =>
    step.kind === 'redis' ? step.commands.map((command) => command.join(' ')) : [],
  );
}

test.each<[string, Partial<Facts>, readonly string[]]>([
  ['all is there: nothing is done', {}, []],
  ['dependencies are missing: they are installed', { dependencies: 'missing' }, ['install']],
  ['there is no build: it is made', { build: 'missing' }, ['build']],
  ['the build is older than a source: it is made', { build: 'stale' }, ['build']],
  ['there is no Redis server: it is installed', { redis: NO_SERVER }, ['redis']],
  ['REDIS_URL is set: no server is installed', { redis: { ...NO_SERVER, url: true } }, []],
  [
    'nothing is there: dependencies first, then the build that needs them, then Redis',
    { dependencies: 'missing', build: 'missing', redis: NO_SERVER },
    ['install', 'build', 'redis'],
  ],
  ['no package manager: it is refused', { redis: { ...NO_SERVER, managers: [] } }, ['refuse']],
  ['neither root nor sudo: it is refused', { redis: { ...NO_SERVER, root: false } }, ['refuse']],
  ['Node is too old: nothing else is tried', { nodeVersion: 'v18.20.0', build: 'stale' }, ['refuse']],
])('the steps of a fresh machine where %s', (_, facts, expected) => {
  expect(kinds(facts)).toEqual(expected);
});

describe('installing a Redis server', () => {
  test.each([
    ['apt-get', ['apt-get update', 'apt-get install -y --no-install-recommends redis-server']],
    ['dnf', ['dnf install -y valkey']],
    ['apk', ['apk add --no-cache redis']],
    ['brew', ['brew install redis']],
  ])('%s is asked where it is there', (manager, expected) => {
    expect(commandsOf({ ...NO_SERVER, managers: [manager] })).toEqual(expected);
  });

  test('sudo goes before a manager that needs root, and never asks for a password', () => {
    const commands = commandsOf({ ...NO_SERVER, root: false, sudo: true });
    expect(commands).toHaveLength(2);
    expect(commands.every((command) => command.startsWith('sudo -n env '))).toBe(true);
  });

  test('brew is run without sudo, since it refuses root', () => {
    const redis = { ...NO_SERVER, managers: ['brew'], root: false, sudo: true };
    expect(commandsOf(redis)).toEqual(['brew install redis']);
  });
  test('a refusal of an old Node names the version that came and the one expected', () => {
    const message = messageOf({ nodeVersion: 'v18.20.0' });
    expect(message).toContain('v18.20.0');
    expect(message).toContain('20.19');
  });
});
