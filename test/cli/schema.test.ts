import { expect, test } from 'vitest';
import { onboard } from './memory-io.ts';

test('the schema is JSON, and as a table every setting has a line', async () => {
  const { stdout: schema } = await onboard(['schema']);
  const { exitCode, stdout: table } = await onboard(['schema', '--table']);
  const settings = Object.keys(JSON.parse(schema).properties);
  expect(exitCode).toBe(0);
  expect(JSON.parse(schema)).toMatchObject({ type: 'object', properties: { operation: {} } });
  expect(settings.filter((name) => !table.includes(`\n| \`${name}\` | `))).toEqual([]);
});
