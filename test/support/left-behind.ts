import { afterAll, beforeAll, expect, vi } from 'vitest';

// For every file (`setupFiles`): files share their worker, and what one leaves behind another would meet by chance.

let before: NodeJS.ProcessEnv = {};

beforeAll(() => {
  before = { ...process.env };
});

afterAll(() => {
  const names = new Set([...Object.keys(before), ...Object.keys(process.env)]);
  const changed = [...names].filter((name) => before[name] !== process.env[name]);
  expect(changed, 'environment variables that the file changed and did not put back').toEqual([]);
  expect(vi.isFakeTimers(), 'the clock is still a fake').toBe(false);
});
