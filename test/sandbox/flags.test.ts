import { expect, test } from 'vitest';
import { sandboxOptionsFromFlags } from '../../src/sandbox/flags.ts';

test('no flags leave every option to its default', () => {
  const set = Object.entries(sandboxOptionsFromFlags({})).filter(([, value]) => value !== undefined);
  expect(set).toEqual([['faults', []]]);
});

test('each flag becomes its option', () => {
  const options = sandboxOptionsFromFlags({
    port: '8080',
    faults: ['503=5%'],
    latency: '50ms±20ms',
    tokens: 'a, b',
    permissions: 'payment.documents,subclient.create',
    seed: '7',
    dataFile: '/tmp/made.ndjson',
    tokenTtl: '2.5',
    tokenRequests: '100',
    keepAlive: '5',
    recordRequests: '10',
  });
  expect(options).toEqual({
    port: 8080,
    faults: ['latency=50ms±20ms', '503=5%'],
    tokens: ['a', 'b'],
    permissions: ['subclient.create', 'payment.documents'],
    seed: 7,
    dataFile: '/tmp/made.ndjson',
    tokenTtlSeconds: 2.5,
    tokenRequests: 100,
    keepAliveMs: 5000,
    recordRequests: 10,
  });
});

test('empty permissions are none at all', () => {
  expect(sandboxOptionsFromFlags({ permissions: '' }).permissions).toEqual([]);
});

test.each([
  [{ port: 'abc' }, '--port "abc": expected a port'],
  [{ port: '65536' }, '--port "65536"'],
  [{ tokens: ' , ' }, '--tokens is empty'],
  [{ permissions: 'subclient.modfy' }, 'Did you mean "subclient.modify"?'],
  [{ seed: '-1' }, '--seed "-1": expected a whole number'],
  [{ tokenTtl: 'soon' }, '--token-ttl "soon": expected seconds'],
  [{ keepAlive: '1e9' }, '--keep-alive "1e9"'],
  [{ latency: 'slow' }, 'latency=slow'],
  [{ faults: ['boom=5%'] }, '"boom" is no fault'],
])('%j is refused', (flags, expected) => {
  expect(() => sandboxOptionsFromFlags(flags)).toThrow(expected);
});

test('every flag that can not be read is listed at once', () => {
  expect(() => sandboxOptionsFromFlags({ port: 'x', seed: 'y', faults: ['z'] })).toThrow(
    expect.objectContaining({
      problems: [
        expect.stringContaining('--port'),
        expect.stringContaining('"z"'),
        expect.stringContaining('--seed'),
      ],
    }),
  );
});
