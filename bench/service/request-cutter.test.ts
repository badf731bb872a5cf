import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRequestCutter } from './request-cutter.ts';

const POST = 'POST /v1/subclients HTTP/1.1\r\nhost: a\r\nContent-Length: 11\r\n\r\n{"a":"\r\n\r\n"';
const EMPTY = 'POST /v1/subclients HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n';
const GET = 'GET /numbers HTTP/1.1\r\nhost: a\r\n\r\n';

function methodsIn(pieces: readonly string[]): readonly string[] {
  const methods: string[] = [];
  const cut = createRequestCutter((method) => void methods.push(method));
  for (const piece of pieces) cut(piece);
  return methods;
}

test('requests are told one by one, whatever pieces they come in', () => {
  const text = POST + GET + EMPTY + POST;
  fc.assert(
    fc.property(fc.array(fc.nat(text.length)), (places) => {
      const cuts = [0, ...places.toSorted((a, b) => a - b), text.length];
      const pieces = cuts.slice(1).map((end, i) => text.slice(cuts[i], end));
      expect(methodsIn(pieces)).toEqual(['POST', 'GET', 'POST', 'POST']);
    }),
  );
});

test('a request whose body is not whole is not told', () => {
  expect(methodsIn([POST.slice(0, -1)])).toEqual([]);
});
