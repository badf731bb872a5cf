import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { ledgerKeys } from '../../src/engine/ledger/keys.ts';
import { OPEN_CHUNKS_MAX } from '../../src/engine/queue/chunk-order.ts';
import { createChunkQueue } from '../../src/engine/queue/chunk-queue.ts';
import { CLEAR } from '../../src/lib/seal.ts';
import { textOf } from '../house/source-files.ts';
import { useOwnRedis } from '../support/redis.ts';
import { blocksIn } from './blocks.ts';

const own = useOwnRedis();
const PAGE = textOf('docs/scale.md');

test('the page has as many open chunks as a run may have', () => {
  expect(PAGE).toContain(`A run has ${OPEN_CHUNKS_MAX} chunks of up to 100 rows open`);
});

test('chunks wait under the key that the page names', async () => {
  const { redis } = own();
  const { queuePrefix } = ledgerKeys('https://api.example.com');
  const queue = createChunkQueue(
    redis,
    queuePrefix,
    () => undefined,
    async () => CLEAR,
  );
  await queue.add([{ run: 'r1', chunk: 1, rows: [] }]);
  await queue.close();
  const named = [...new Set(PAGE.match(/onboard:\{…\}:queue:chunks:\w+/g))];
  expect(named.map((name) => name.split(':').at(-1))).toEqual(['prioritized', 'active']);
  const [waiting = ''] = named.map((name) => name.replace(/onboard:\{…\}:queue/, queuePrefix));
  expect(await redis.zcard(waiting)).toBe(1);
  expect(await redis.keys('onboard:*:queue:chunks:meta')).toEqual([`${queuePrefix}:chunks:meta`]);
});

test.each(blocksIn(textOf('docs/kubernetes.md'), 'yaml'))(
  'the manifest on line $line can be read',
  ({ text }) => {
    expect(parse(text)).toMatchObject({
      kind: expect.any(String),
      metadata: { name: expect.stringMatching(/^onboard/) },
    });
  },
);
