import { expect, test } from 'vitest';
import { textOf } from '../../test/house/source-files.ts';
import { useOwnRedis } from '../../test/support/redis.ts';
import { bytesPerKey } from './key-bytes.ts';

const own = useOwnRedis();
const KEYS = 100_000;
const DOCUMENTED = /A key takes about (\d+) bytes/;

test('a key takes no more of the embedded Redis than docs/scale.md says, and about as much', async () => {
  const documented = Number(DOCUMENTED.exec(textOf('docs/scale.md'))?.[1]);
  const bytes = await bytesPerKey(own().redis, KEYS);
  expect(bytes).toBeLessThanOrEqual(1.3 * documented);
  expect(bytes).toBeGreaterThanOrEqual(documented / 1.3);
}, 60_000);
