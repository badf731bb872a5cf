import { expect, test } from 'vitest';
import { refusalOf } from '../../src/web/guard.ts';

const HERE = '127.0.0.1:4780';
const OUTSIDE = 'onboard.example.com';
const SETTINGS = { hosts: [HERE, 'localhost:4780'], origin: `https://${OUTSIDE}` };

function statusFor(method: string, headers: Readonly<Record<string, string>>): number {
  return refusalOf({ method, header: (name) => headers[name] }, SETTINGS)?.status ?? 200;
}

test.each<[string, Record<string, string>, number]>([
  ['its own address', { host: HERE }, 200],
  ['localhost', { host: 'localhost:4780' }, 200],
  ['its origin', { host: OUTSIDE }, 200],
  ['a name that was bound to its address', { host: 'evil.example:4780' }, 421],
  ['its address at another port', { host: '127.0.0.1:80' }, 421],
  ['its origin in other letters', { host: 'ONBOARD.example.com' }, 421],
  ['no host', {}, 421],
  ['a body by its length', { host: HERE, 'content-length': '3' }, 400],
  ['a body in chunks', { host: HERE, 'transfer-encoding': 'chunked' }, 400],
  ['an empty body', { host: HERE, 'content-length': '0' }, 200],
  ['a link of another site', { host: HERE, 'sec-fetch-site': 'cross-site' }, 200],
])('a page asked for with %s', (_, headers, status) => {
  expect(statusFor('GET', headers)).toBe(status);
  expect(statusFor('HEAD', headers)).toBe(status);
});

test.each<[string, Record<string, string>, number]>([
  ['with its own origin', { host: HERE, origin: `http://${HERE}` }, 200],
  ['with the origin that browsers see', { host: OUTSIDE, origin: `https://${OUTSIDE}` }, 200],
  ['with that origin in clear', { host: OUTSIDE, origin: `http://${OUTSIDE}` }, 403],
  ["with another of its hosts' origin", { host: HERE, origin: 'http://localhost:4780' }, 403],
  ['with the origin of another port', { host: HERE, origin: 'http://127.0.0.1:3000' }, 403],
  ['with a hidden origin', { host: HERE, origin: 'null' }, 403],
  ['with a hidden origin of its own', { host: HERE, origin: 'null', 'sec-fetch-site': 'same-origin' }, 200],
  ['from the same origin', { host: HERE, 'sec-fetch-site': 'same-origin' }, 200],
  ['from a neighbour', { host: HERE, 'sec-fetch-site': 'same-site' }, 403],
  ['from the address bar', { host: HERE, 'sec-fetch-site': 'none' }, 403],
  ['from elsewhere', { host: HERE, 'sec-fetch-site': 'cross-site' }, 403],
  [
    'with an origin from elsewhere, whatever else is said',
    { host: HERE, origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    403,
  ],
  ['without a word', { host: HERE }, 403],
  [
    'by a name that is not ours',
    { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    421,
  ],
])('a change %s', (_, headers, status) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    expect(statusFor(method, { ...headers, 'content-type': 'application/json' })).toBe(status);
});
