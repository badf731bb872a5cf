import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spliceMember } from '../../src/report/json-text.ts';

const OLD = { run: 'earlier', nested: ['}', { a: '"' }] };
const NEW = { run: 'r', message: 'line\nbreak "and" }' };
const ADDED = `"_onboard":${JSON.stringify(NEW)}`;

const record = fc
  .dictionary(
    fc.string().filter((name) => name !== '_onboard'),
    fc.jsonValue(),
    { maxKeys: 6 },
  )
  .chain((value) => fc.constantFrom(0, 1, 2, '\t').map((space) => JSON.stringify(value, null, space)));

describe('spliceMember', () => {
  it('given any object, changes nothing of it but line breaks into spaces', () => {
    fc.assert(
      fc.property(record, (text) => {
        const spliced = spliceMember(text, '_onboard', NEW);
        const flat = text.replaceAll('\n', ' ');
        const withComma = spliced.replace(`,${ADDED}}`, '}');
        expect(withComma === flat || spliced === `{${ADDED}}`).toBe(true);
        expect(JSON.parse(spliced)).toEqual({ ...JSON.parse(text), _onboard: NEW });
        expect(spliced).not.toContain('\n');
      }),
    );
  });

  it('given an object that has a report member already, gives what it would have given without it', () => {
    fc.assert(
      fc.property(record, (text) => {
        const loaded = spliceMember(text, '_onboard', OLD);
        expect(spliceMember(loaded, '_onboard', NEW)).toBe(spliceMember(text, '_onboard', NEW));
      }),
    );
  });

  it.each([
    ['{}', `{${ADDED}}`],
    ['{ }', `{ ${ADDED}}`],
    ['{"a":12345678901234567890}', `{"a":12345678901234567890,${ADDED}}`],
    ['{"a":1.50, "b" : "\\u00e9\\/" }', `{"a":1.50, "b" : "\\u00e9\\/" ,${ADDED}}`],
    ['{"a":1}\n', `{"a":1,${ADDED}} `],
    ['{\r\n"a":1\r\n}', `{  "a":1  ,${ADDED}}`],
    ['{"_onboard":{"x":"}"}}', `{${ADDED}}`],
    ['{"_onboard":1,"a":2}', `{"a":2,${ADDED}}`],
    ['{"a":2 , "_onboard" : [1] , "b":3}', `{"a":2  , "b":3,${ADDED}}`],
    ['{"_onboard":1,"a":2,"_onboard":3}', `{"a":2,${ADDED}}`],
    ['{"_\\u006fnboard":1}', `{${ADDED}}`],
    ['{"a":{"_onboard":1},"b":"\\"_onboard\\":1"}', `{"a":{"_onboard":1},"b":"\\"_onboard\\":1",${ADDED}}`],
  ])('given %j, writes %j', (text, expected) => {
    expect(spliceMember(text, '_onboard', NEW)).toBe(expected);
  });
});
