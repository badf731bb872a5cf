import { describe, expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { parseRedisUrl, redisVariables, shownAddress } from '../../src/config/redis-address.ts';
import { textOf } from '../house/source-files.ts';

const DOCUMENT = textOf('docs/redis.md');
const ENVIRONMENT = textOf('docs/environment.md');
const URLS = [...DOCUMENT.matchAll(/`((?:rediss?(?:\+\w+)?|unix):\/\/[^`\s…]+)`/g)].map(
  ([, url = '']) => url,
);

describe('the URLs of the document', () => {
  test.each(URLS)('%s is taken, and shown without its password', (url) => {
    expect(shownAddress(parseRedisUrl(url))).not.toContain('password');
    expect(readEnvironment({ REDIS_URL: url }).redis).toEqual(parseRedisUrl(url));
  });

  test('are of every kind', () => {
    const kinds = new Set(URLS.map((url) => parseRedisUrl(url).kind));
    expect([...kinds].sort()).toEqual(['cluster', 'sentinel', 'server', 'socket']);
  });
});

test('the escapes that the document names are those that a login needs', () => {
  const escapes = [...DOCUMENT.matchAll(/`([/?#@:%])` (?:is written )?`(%[0-9A-F]{2})`/g)];
  expect(escapes.map(([, sign = '']) => sign).sort()).toEqual(['#', '%', '/', ':', '?', '@']);
  for (const [, sign = '', escaped = ''] of escapes) expect(encodeURIComponent(sign)).toBe(escaped);
});

test.each(Object.keys(redisVariables))('%s is in it and in the list of docs/environment.md', (name) => {
  expect(DOCUMENT).toContain(`\`${name}\``);
  expect(ENVIRONMENT).toContain(`\`${name}\``);
});
