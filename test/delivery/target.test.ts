import { expect, test } from 'vitest';
import { readEnvironment } from '../../src/config/environment.ts';
import { serviceFromEnvironment } from '../../src/delivery/target.ts';

test.each([
  ['https://api.example.com', 'https://api.example.com'],
  ['https://api.example.com/', 'https://api.example.com'],
  ['https://API.example.com:443//', 'https://api.example.com'],
  ['https://api.example.com:8443/msb/', 'https://api.example.com:8443/msb'],
  ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
])('the service at %s is known to the ledger as %s', (url, target) => {
  const service = serviceFromEnvironment(readEnvironment({ MSB_BASE_URL: url, MSB_TOKEN: 't' }));
  expect([service.target, service.baseUrl]).toEqual([target, target]);
});
