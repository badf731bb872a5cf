import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import samples from '../samples/expected.json' with { type: 'json' };
import { startFlow } from '../support/flow.ts';

const SAMPLES = fileURLToPath(new URL('../../samples', import.meta.url));

test.each(samples)('$file by $job ends as listed', async ({ file, job, before, exitCode, outcomes }) => {
  const flow = await startFlow();
  for (const earlier of before) {
    const of = samples.find((sample) => sample.file === earlier);
    await flow.run([of?.job ?? '', `${SAMPLES}/${earlier}`]);
  }
  if (outcomes === null) {
    const refused = await flow.onboard(['run', job, `${SAMPLES}/${file}`]);
    expect(refused.exitCode).toBe(exitCode);
    expect(refused.stderr).toContain(file);
    expect(Object.values(flow.sandbox.stats().requests)).toEqual([]);
    return;
  }
  const { summary, ...ended } = await flow.run([job, `${SAMPLES}/${file}`]);
  const present = Object.fromEntries(Object.entries(summary.outcomes).filter(([, count]) => count > 0));
  expect([ended.exitCode, present]).toEqual([exitCode, outcomes]);
  expect(flow.sandbox.stats().duplicateKeys).toBe(0);
});
