import { expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import { AFTER_FAULTS, BEFORE_FAULTS, parseFault, parseFaults } from '../../src/sandbox/fault-rules.ts';

const anywhere = { keyPrefix: '', call: null } as const;

test.each([
  ['503=5%', { kind: 'before', name: '503', when: { kind: 'share', share: 0.05 }, retryAfterSeconds: null }],
  [
    '500=0.5%',
    { kind: 'before', name: '500', when: { kind: 'share', share: 0.005 }, retryAfterSeconds: null },
  ],
  ['429=every:7', { kind: 'before', name: '429', when: { kind: 'every', n: 7 }, retryAfterSeconds: 1 }],
  [
    '503-retry-after=always',
    { kind: 'before', name: '503-retry-after', when: { kind: 'always' }, retryAfterSeconds: 1 },
  ],
  [
    '429=always;retry-after=30',
    { kind: 'before', name: '429', when: { kind: 'always' }, retryAfterSeconds: 30 },
  ],
  [
    '429=always;retry-after=none',
    { kind: 'before', name: '429', when: { kind: 'always' }, retryAfterSeconds: null },
  ],
  ['hang=first:3', { kind: 'after', name: 'hang', when: { kind: 'first', n: 3 } }],
  ['latency=50ms', { kind: 'latency', name: 'latency', when: { kind: 'always' }, ms: 50, spreadMs: 0 }],
  ['latency=1.5s', { kind: 'latency', name: 'latency', when: { kind: 'always' }, ms: 1500, spreadMs: 0 }],
  ['latency=50ms±20ms', { kind: 'latency', name: 'latency', when: { kind: 'always' }, ms: 50, spreadMs: 20 }],
  [
    'latency=50ms+-20ms',
    { kind: 'latency', name: 'latency', when: { kind: 'always' }, ms: 50, spreadMs: 20 },
  ],
  [
    'latency=5s;when=10%',
    { kind: 'latency', name: 'latency', when: { kind: 'share', share: 0.1 }, ms: 5000, spreadMs: 0 },
  ],
])('"%s" is read', (spec, rule) => {
  expect(parseFault(spec)).toEqual({ ...anywhere, ...rule });
});

test('a key prefix and a call aim the fault', () => {
  expect(parseFault('cut-answer=always;key=ROW-7;call=counterparty.draft')).toEqual({
    kind: 'after',
    name: 'cut-answer',
    when: { kind: 'always' },
    keyPrefix: 'ROW-7',
    call: 'counterparty.draft',
  });
});

test.each([...BEFORE_FAULTS, ...AFTER_FAULTS])('the fault %s can be asked for', (name) => {
  expect(parseFault(`${name}=first:1`)).toMatchObject({ name, when: { kind: 'first', n: 1 } });
});

test.each([
  ['rest-before=5%', 'Did you mean "reset-before"?'],
  ['502=5%', 'expected one of latency, 503'],
  ['503', 'nothing after the name'],
  ['503=', 'a share such as 5%, every:7, first:3 or always'],
  ['503=101%', 'a share such as 5%'],
  ['503=every:0', 'every:7'],
  ['503=sometimes', '"sometimes"'],
  ['503=always;retry-after=2', 'option "retry-after=2" can\'t be read; expected key=…, call=….'],
  ['429=always;retry-after=soon', 'retry-after=<whole seconds> or retry-after=none'],
  ['429=always;kee=x', 'Did you mean "key"?'],
  ['hang=always;key', 'option "key" can\'t be read'],
  ['hang=always;call=subclient.make', 'is no call'],
  ['latency=5%', 'a duration such as 50ms, 1.5s or 50ms±20ms'],
  ['latency=10ms±20ms', 'a spread no longer than the duration itself'],
])('"%s" is refused, saying what was expected', (spec, expected) => {
  expect(() => parseFault(spec)).toThrow(UsageError);
  expect(() => parseFault(spec)).toThrow(expected);
  expect(() => parseFault(spec)).toThrow(`fault "${spec}"`);
});

test('every wrong spec of a list is named', () => {
  expect(() => parseFaults(['503=x', '503=5%', 'nonsense=1%'])).toThrow(
    expect.objectContaining({
      problems: [expect.stringContaining('503=x'), expect.stringContaining('nonsense=1%')],
    }),
  );
});
