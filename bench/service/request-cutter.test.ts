import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRequestCutter } from './request-cutter.ts';

const POST = 'POST /v1/subclients HTTP/1.1\r\nhost: a\r\nContent-Length: 11\r\n\r\n{"a":"\r\n\r\n"';
const EMPTY = 'POST /v1/subclients HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n';
const MARKED = 'POST /v1/subclients?mark=a HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n';
const GET = 'GET /numbers HTTP/1.1\r\nhost: a\r\n\r\n';

function requestsIn(pieces: readonly string[]): readonly string[] {
  const requests: string[] = [];
  const cut = createRequestCutter((method, path) => void requests.push(`${method} ${path}`));
  for (const piece of pieces) cut(piece);
  return requests;
}

test('requests are told one by one, whatever pieces they come in', () => {
  const text = POST + GET + EMPTY + MARKED;
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), text.length];
      const pieces = cuts.slice(1).map((end, i) => text.slice(cuts[i], end));
      expect(requestsIn(pieces)).toEqual([
        'POST /v1/subclients',
        'GET /numbers',
        'POST /v1/subclients',
        'POST /v1/subclients?mark=a',
      ]);
    }),
  );
});

test('a request whose body is not whole is not told', () => {
  expect(requestsIn([POST.slice(0, -1)])).toEqual([]);
});
