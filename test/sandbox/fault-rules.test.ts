import { expect, test } from 'vitest';
import { UsageError } from '../../src/lib/usage-error.ts';
import { parseFaults } from '../../src/sandbox/fault-rules.ts';

const anywhere = { keyPrefix: '', call: null } as const;

const ALWAYS = { kind: 'always' };
const before = (name: string, when: object, more: object = {}) => ({ kind: 'before', name, when, ...more });
const retryAfter = (seconds: string) => ({ answer: { headers: { 'retry-after': seconds } } });
const latency = (ms: number, spreadMs: number, when: object = ALWAYS) => ({
  kind: 'latency',
  name: 'latency',
  when,
  ms,
  spreadMs,
});
const share = (share: number) => ({ kind: 'share', share });
test.each([
  ['503=5%', before('503', share(0.05))],
  ['500=0.5%', before('500', share(0.005))],
  ['429=every:7', before('429', { kind: 'every', n: 7 }, retryAfter('1'))],
  ['503-retry-after=always', before('503-retry-after', ALWAYS, retryAfter('1'))],
  ['429=always;retry-after=30', before('429', ALWAYS, retryAfter('30'))],
  ['429=always;retry-after=none', before('429', ALWAYS)],
  ['hang=first:3', { kind: 'after', name: 'hang', when: { kind: 'first', n: 3 } }],
  ['latency=50ms', latency(50, 0)],
  ['latency=1.5s', latency(1500, 0)],
  ['latency=50ms±20ms', latency(50, 20)],
  ['latency=50ms+-20ms', latency(50, 20)],
  ['latency=5s;when=10%', latency(5000, 0, share(0.1))],
])('"%s" is read', (spec, rule) => {
  expect(parseFaults([spec])).toMatchObject([{ ...anywhere, ...rule }]);
});

test('a key prefix and a call aim the fault', () => {
  const aimed = { keyPrefix: 'ROW-7', call: 'counterparty.draft' };
  expect(parseFaults(['cut-answer=always;key=ROW-7;call=counterparty.draft'])).toMatchObject([
    { kind: 'after', name: 'cut-answer', when: { kind: 'always' }, ...aimed },
  ]);
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
  expect(() => parseFaults([spec])).toThrow(UsageError);
  expect(() => parseFaults([spec])).toThrow(expected);
  expect(() => parseFaults([spec])).toThrow(`fault "${spec}"`);
});

test('every wrong spec of a list is named', () => {
  expect(() => parseFaults(['503=x', '503=5%', 'nonsense=1%'])).toThrow(
    expect.objectContaining({
      problems: [expect.stringContaining('503=x'), expect.stringContaining('nonsense=1%')],
    }),
  );
});
