import { expect, test } from 'vitest';
import { createJob, startFlow, subclientsCsv } from '../support/flow.ts';

const NO_SERVICE = { MSB_BASE_URL: '', MSB_TOKEN: '' };

test('a second rehearsal says since which run its keys are known, and with another job; a fresh one begins with an empty stand-in', async () => {
  const flow = await startFlow();
  const file = await flow.file('a.csv', subclientsCsv(3));
  const first = await flow.file('first.yaml', createJob());
  const second = await flow.file('second.yaml', `${createJob()}stopAfter: 2\n`);
  const rehearse = async (job: string, ...flags: readonly string[]) => {
    const { summary } = await flow.run(['--job-file', job, file, ...flags], NO_SERVICE);
    const { run, outcomes, against } = summary;
    return { run, outcomes, against, notes: summary.source.notes.join() };
  };
  const one = await rehearse(first, '--sandbox');
  expect([one.outcomes.created, one.notes]).toEqual([3, '']);
  const other = await rehearse(second, '--sandbox');
  expect([other.outcomes.skipped, other.notes]).toEqual([
    3,
    `Known since run ${one.run}, sent with another job. For an empty stand-in: --sandbox --fresh.`,
  ]);
  const again = await rehearse(second, '--sandbox', '--again');
  expect(again.notes).toMatch(new RegExp(`^Known since run ${other.run}\\. `));
  expect(again.against?.run).toBe(other.run);
  // It is a rehearsal by itself: the service is never asked for.
  const fresh = await rehearse(second, '--fresh');
  expect([fresh.outcomes.created, fresh.notes, fresh.against]).toEqual([3, '', null]);
});
