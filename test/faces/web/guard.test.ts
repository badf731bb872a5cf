import { expect, test } from 'vitest';
import { refusalOf } from '../../../src/faces/web/guard.ts';

const HERE = 'onboard-0a1b.localhost:4780';
const OWN = `http://${HERE}`;
const OUTSIDE = 'onboard.example.com';
const PROXIED = `https://${OUTSIDE}`;

function refusalFor(method: string, headers: Readonly<Record<string, string>>, origin = OWN, path = '/runs') {
  return refusalOf({ method, path, header: (name) => headers[name] }, origin);
}

test.each<[string, Record<string, string>, number]>([
  ['its own name', { host: HERE }, 200],
  ['a name that was bound to its address', { host: 'evil.example:4780' }, 421],
  ['its name at another port', { host: 'onboard-0a1b.localhost:80' }, 421],
  ['the name of another home', { host: 'onboard-ffff.localhost:4780' }, 421],
  ['its name in other letters', { host: 'ONBOARD-0a1b.localhost:4780' }, 421],
  ['no host', {}, 421],
  ['a host that is none', { host: 'a b' }, 421],
  ['a body by its length', { host: HERE, 'content-length': '3' }, 400],
  ['a body in chunks', { host: HERE, 'transfer-encoding': 'chunked' }, 400],
  ['an empty body', { host: HERE, 'content-length': '0' }, 200],
  ['a link of another site', { host: HERE, 'sec-fetch-site': 'cross-site' }, 200],
])('a page asked for with %s', (_, headers, status) => {
  for (const method of ['GET', 'HEAD']) expect(refusalFor(method, headers)?.status ?? 200).toBe(status);
});

test.each(['127.0.0.1:4780', 'localhost:4780', '[::1]:4780', '127.0.0.1', '127.0.0.1:80'])(
  'under %s, which every server of this machine has, it says where it is, and that it is well',
  (host) => {
    expect(refusalFor('GET', { host })).toEqual({ status: 421, words: `The page is at ${OWN}/` });
    expect(refusalFor('GET', { host }, PROXIED)?.words).toBe(`The page is at ${PROXIED}/`);
    expect(refusalFor('GET', { host }, OWN, '/healthz')).toBeNull();
    expect(refusalFor('POST', { host, origin: OWN }, OWN, '/healthz')?.status).toBe(421);
    expect(refusalFor('POST', { host, origin: `http://${host}` })?.status).toBe(421);
  },
);

test('a name that was bound to its address is told neither', () => {
  const evil = { host: 'evil.example:4780' };
  expect(refusalFor('GET', evil)?.words).not.toContain(HERE);
  expect(refusalFor('GET', evil, OWN, '/healthz')?.status).toBe(421);
});

test.each<[string, Record<string, string>, string, number]>([
  ['with its own origin', { host: HERE, origin: OWN }, OWN, 200],
  ['with the origin that browsers see', { host: OUTSIDE, origin: PROXIED }, PROXIED, 200],
  ['with that origin in clear', { host: OUTSIDE, origin: `http://${OUTSIDE}` }, PROXIED, 403],
  ['with the origin of another name', { host: HERE, origin: 'http://localhost:4780' }, OWN, 403],
  ['with the origin of another port', { host: HERE, origin: 'http://onboard-0a1b.localhost:3000' }, OWN, 403],
  ['with a hidden origin', { host: HERE, origin: 'null' }, OWN, 403],
  ['with its own origin hidden', { host: HERE, origin: 'null', 'sec-fetch-site': 'same-origin' }, OWN, 200],
  ['from the same origin', { host: HERE, 'sec-fetch-site': 'same-origin' }, OWN, 200],
  ['from a neighbour', { host: HERE, 'sec-fetch-site': 'same-site' }, OWN, 403],
  ['from the address bar', { host: HERE, 'sec-fetch-site': 'none' }, OWN, 403],
  ['from elsewhere', { host: HERE, 'sec-fetch-site': 'cross-site' }, OWN, 403],
  [
    'with an origin from elsewhere, whatever else is said',
    { host: HERE, origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    OWN,
    403,
  ],
  ['without a word', { host: HERE }, OWN, 403],
  [
    'by a name that is not ours',
    { host: 'evil.example', origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    OWN,
    421,
  ],
  ['past the proxy', { host: HERE, origin: OWN }, PROXIED, 421],
])('a change %s', (_, headers, origin, status) => {
  for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])
    expect(
      refusalFor(method, { ...headers, 'content-type': 'application/json' }, origin)?.status ?? 200,
    ).toBe(status);
});
