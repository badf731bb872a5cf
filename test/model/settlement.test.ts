import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  fromTuple,
  NO_REST,
  packBody,
  settlementSchema,
  toTuple,
  unpackBody,
} from '../../src/model/settlement.ts';
import { settlement } from '../support/settlements.ts';

test('any settlement comes back from its tuple, also by way of JSON', () => {
  fc.assert(
    fc.property(settlement, (s) => {
      expect(fromTuple(toTuple(s))).toEqual(s);
      expect(fromTuple(settlementSchema.parse(JSON.parse(JSON.stringify(toTuple(s)))))).toEqual(s);
    }),
  );
});

test('the tuple has the order that lies in Redis', () => {
  const code = { code: 'http_418', message: 'The service found the record invalid (418).' };
  const end = { outcome: 'rejected', status: 418, id: 'cp-1', ...code, ...NO_REST } as const;
  const row = { row: 7, line: 9, key: 'K7', attempts: 2, ms: 35, ...end };
  const tuple = [7, 9, 'K7', 'rejected', 418, 'cp-1', 2, 35, ...Object.values(code)];
  expect(toTuple(row)).toEqual(tuple);
  const warnings = [{ code: 'mojibake', column: 'Name' }];
  expect(toTuple({ ...row, warnings })).toEqual([...tuple, { warnings }]);
});

const GOOD = [1, 2, 'K', 'created', 200, 'id', 1, 5, '', ''];

test.each([
  ['row 0', GOOD.with(0, 0)],
  ['line -1', GOOD.with(1, -1)],
  ['a key that is a number', GOOD.with(2, 1)],
  ['an outcome that there is not', GOOD.with(3, 'done')],
  ['half a millisecond', GOOD.with(7, 0.5)],
  ['one too few', GOOD.slice(0, -1)],
  ['one too many', [...GOOD, {}, {}]],
  ['something else behind it', [...GOOD, { note: 'x' }]],
  ['a text behind it', [...GOOD, 'mojibake']],
])('a tuple with %s is refused', (_, tuple) => {
  expect(settlementSchema.safeParse(GOOD).success).toBe(true);
  expect(settlementSchema.safeParse(tuple).success).toBe(false);
});

test('any body of a refusal comes back as it was kept, one that looks like a cut one too', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', '\0', '\x0012\0no', '12\0no'));
  fc.assert(
    fc.property(fc.record({ text, restBytes: fc.nat() }), (body) => {
      expect(unpackBody(packBody(body))).toEqual(body);
    }),
  );
  expect(packBody({ text: '{"e":1}', restBytes: 0 })).toBe('{"e":1}');
});
