import { expect, test } from 'vitest';
import { startFlow } from '../../support/flow.ts';
import { until } from '../../support/until.ts';

const JOB = `
operation: custom
key: Ref
request:
  name: thing.addPart
  method: POST
  path: "/v9/things/{Thing}/parts"
  id: /id
fields: { part: Ref, kind: Kind }
`;
const rowsOf = (count: number) =>
  ['Ref,Thing,Kind', ...Array.from({ length: count }, (_, i) => `P${i + 1},t ${i % 7}/x,k`)].join('\n');

/** How often each row's request came. */
function arrivals(log: readonly { readonly body: string }[]): readonly number[] {
  const counts = new Map<string, number>();
  for (const { body } of log) counts.set(body, (counts.get(body) ?? 0) + 1);
  return [...counts.values()];
}

test('a create of a job definition is sent at most once, though its worker is killed', async () => {
  const flow = await startFlow({ faults: ['latency=40ms'], recordRequests: 2_000 });
  const file = await flow.file('parts.csv', rowsOf(300));
  const definition = await flow.file('parts.yaml', JOB);
  const command = ['run', '--job-file', definition, file];
  const first = flow.start(command);
  await until(() => (flow.sandbox.stats().requests.custom?.['200'] ?? 0) > 60);
  first.child.kill('SIGKILL');
  await first.ended;
  flow.sandbox.setFaults([]);
  const { summary, exitCode } = await flow.run(['--job-file', definition, file]);
  const { created = 0, 'in-doubt': doubted = 0 } = summary.outcomes;
  expect([created + doubted, exitCode]).toEqual([300, doubted === 0 ? 0 : 5]);
  expect(arrivals(flow.sandbox.requests()).every((count) => count === 1)).toBe(true);
  expect(
    flow.sandbox.requests().every(({ target }) => /^\/v9\/things\/t%20\d%2Fx\/parts$/.test(target)),
  ).toBe(true);
});
