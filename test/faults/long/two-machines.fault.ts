import { expect, test } from 'vitest';
import { HAS_CONTAINERS, takenHome } from '../scenarios/two-machines.ts';

test('a machine that stood still while another one took its home makes no record twice', async () => {
  expect(HAS_CONTAINERS, 'unshare(1) with the right to make namespaces').toBe(true);
  await takenHome({ rows: 2_000 });
}, 120_000);
