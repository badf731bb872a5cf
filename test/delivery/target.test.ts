import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { serviceFromEnvironment, serviceOf } from '../../src/delivery/target.ts';
import { createReleasers } from '../../src/lib/releasers.ts';
import { memoryIo } from '../faces/cli/memory-io.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://API.example.com:443//', 'https://api.example.com'],
  ['https://api.example.com:8443/msb/', 'https://api.example.com:8443/msb'],
])('the service at %s is known to the ledger as %s', (url, target) => {
  const service = serviceFromEnvironment(readEnvironment({ MSB_BASE_URL: url, MSB_TOKEN: 't' }));
  expect([service.target, service.baseUrl]).toEqual([target, target]);
});

test('a run that the ledger has for another service is refused, wherever that is', async () => {
  const env = readEnvironment({ MSB_BASE_URL: 'https://api.example.com', MSB_TOKEN: 't' });
  const parts = { env, io: memoryIo(), releasers: createReleasers() };
  expect((await serviceOf('https://api.example.com', parts)).baseUrl).toBe('https://api.example.com');
  await expect(serviceOf('https://api.example.org', parts)).rejects.toThrow(
    'The run goes to https://api.example.org, but MSB_BASE_URL is https://api.example.com',
  );
});
