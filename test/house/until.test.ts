import { expect, test } from 'vitest';
import { addWitness, until } from '../support/until.ts';

test('what is waited for in vain is named before the test is out of time, with what was going on', async () => {
  const forget = addWitness(() => 'onboard run is at work; stderr: Redis is away');
  const isThere = false;
  await expect(until(() => isThere)).rejects.toThrow(/in vain for \(\) => isThere[\s\S]*Redis is away/);
  forget();
}, 2_000);
