import { expect, test } from 'vitest';
import { startFlow } from '../support/flow.ts';

const job = (method: string) => `
operation: custom
key: Ref
request:
  name: thing.addPart
  method: ${method}
  path: "/v9/things/{Thing}/parts"
  id: /id
fields: { part: Ref, kind: Kind }
`;
const rowsOf = (count: number) =>
  ['Ref,Thing,Kind', ...Array.from({ length: count }, (_, i) => `P${i + 1},t ${i % 7}/x,k`)].join('\n');

test('a lost answer leaves a create in doubt, and has a request that may be repeated sent again', async () => {
  const flow = await startFlow({ faults: ['reset-after-create=first:2'] });
  const create = await flow.load(job('POST'), rowsOf(5));
  expect(create.summary.outcomes).toMatchObject({ created: 3, 'in-doubt': 2 });
  flow.sandbox.setFaults(['reset-after-create=first:2']);
  const put = await flow.load(job('PUT'), rowsOf(5));
  expect(put.summary.outcomes).toMatchObject({ updated: 5, 'in-doubt': 0 });
  expect(flow.sandbox.stats().requests.custom).toMatchObject({ '200': 8, reset: 4 });
});

test('without an id in the answer a row is carried out all the same, and its key known', async () => {
  const flow = await startFlow();
  const silent = job('POST').replace('  id: /id\n', '');
  const first = await flow.load(silent, rowsOf(2));
  expect((await flow.results(first.summary)).map(({ outcome, id }) => [outcome, id])).toEqual([
    ['created', ''],
    ['created', ''],
  ]);
  const again = await flow.load(silent, `${rowsOf(2)}\n`);
  expect((await flow.results(again.summary)).map(({ outcome, id }) => [outcome, id])).toEqual([
    ['skipped', ''],
    ['skipped', ''],
  ]);
});
