import { describe, expect, test } from 'vitest';
import { createClient } from '../../../src/delivery/service/attempt.ts';
import { parseBaseUrl } from '../../../src/delivery/service/base-url.ts';
import { UsageError } from '../../../src/lib/usage-error.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com', ''],
  ['https://api.example.com/', 'https://api.example.com', ''],
  ['https://api.example.com:8443/msb/api/', 'https://api.example.com:8443', '/msb/api'],
  ['http://localhost:8080', 'http://localhost:8080', ''],
  ['http://LOCALHOST', 'http://localhost', ''],
  ['http://127.0.0.1:8080/x', 'http://127.0.0.1:8080', '/x'],
  ['http://127.9.8.7', 'http://127.9.8.7', ''],
  ['http://127.1', 'http://127.0.0.1', ''],
  ['http://[::1]:8080', 'http://[::1]:8080', ''],
])('%s is taken', (text, origin, basePath) => {
  expect(parseBaseUrl(text)).toEqual({ origin, basePath });
});

describe('a base URL that must not be used', () => {
  test.each([
    ['http://api.example.com', /https:\/\//],
    ['http://127.0.0.1.example.com', /https:\/\//],
    ['http://localhost.example.com', /https:\/\//],
    ['http://10.0.0.1', /https:\/\//],
    ['http://[::2]', /https:\/\//],
    ['ftp://api.example.com', /http\(s\)/],
    ['api.example.com', /http\(s\)/],
    ['', /http\(s\)/],
    ['https://user:hunter2@api.example.com', /credentials/],
    ['https://hunter2@api.example.com', /credentials/],
    ['https://api.example.com/?key=hunter2', /query/],
    ['https://api.example.com/?', /query/],
    ['https://api.example.com/#hunter2', /fragment/],
  ])('%s is refused, without repeating its secrets', (text, message) => {
    const attempt = () => parseBaseUrl(text);
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/hunter2/);
  });

  test('keeps a client from being made', () => {
    const make = () =>
      createClient({ baseUrl: 'http://api.example.com', concurrency: 1, timeoutMs: 1, version: '0' });
    expect(make).toThrow(UsageError);
  });
});
