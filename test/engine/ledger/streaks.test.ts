import { expect, test } from 'vitest';
import { claimKeys } from '../../../src/engine/ledger/key-claims.ts';
import { intentMark } from '../../../src/engine/ledger/mark.ts';
import type { Streak } from '../../../src/engine/ledger/settle-entry.ts';
import { grantOf, intentOn, runningRun } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';

const own = useOwnRedis();
const ALIKE: Streak = { of: '409', limit: 3, reason: 'same-refusal' };
const OTHER: Streak = { ...ALIKE, of: '400' };
const UNREADABLE: Streak = { of: 'unreadable', limit: 2, reason: 'unreadable-answers' };

async function startRun() {
  const bench = await runningRun(own().redis, { rows: 100 });
  const { ledger, store, id, keys } = bench;
  const space = { name: 'subclient', ofRun: false };
  const { verification } = await claimKeys(bench.epoch, keys, { run: id, space, rows: [] });
  let row = 0;
  const sent = async () => {
    row += 1;
    const mark = intentMark('a.1', row, 1);
    await grantOf(ledger, intentOn(row, mark));
    return mark;
  };
  return {
    ...bench,
    async refused(streak: Streak | null, status = 409) {
      const mark = await sent();
      await ledger.settleAll([settledRow(row, 'failed', { mark, status, streak })]);
    },
    async unreadable() {
      const mark = await sent();
      await ledger.settleAll([settledRow(row, 'in-doubt', { mark, streak: UNREADABLE })]);
    },
    async created() {
      const mark = await sent();
      await ledger.settleAll([settledRow(row, 'created', { mark })]);
    },
    /** As nearly all rows are, under their chunk's order. */
    async createdInOrder() {
      row += 1;
      const rows = [{ row, identity: null }];
      const range = {
        chunk: 1,
        fencingToken: 'a.1',
        seen: '',
        from: 0,
        repeatable: false,
        claimed: verification,
      };
      await ledger.exchange({ ranges: [{ ...range, rows, outOfOrder: [] }] });
      await ledger.settleAll([settledRow(row, 'created', { mark: intentMark('a.1', row, 1) })]);
    },
    /** Why the next row may not go; `null`: it may. */
    async halt() {
      const answer = await grantOf(ledger, intentOn(99, 'i a.1 99'));
      if (answer.kind === 'granted') await ledger.withdraw(intentOn(99, 'i a.1 99'));
      return answer.kind === 'halted' ? (answer.pauseFor ?? 'halted') : null;
    },
    async pauseAndResume(reason: Streak['reason']) {
      await store.transition(id, 'paused', reason);
      await store.transition(id, 'running', null);
    },
  };
}

test.each(['created', 'createdInOrder'] as const)(
  'refusals alike are counted anew after a row that was %s; then the run is to be paused, and sends nothing',
  async (how) => {
    const run = await startRun();
    const { refused, halt } = run;
    await refused(ALIKE);
    await refused(ALIKE);
    await run[how]();
    await refused(ALIKE);
    await refused(ALIKE);
    await refused(OTHER, 400);
    await refused(null, 418);
    expect(await halt()).toBeNull();
    await refused(ALIKE);
    expect(await halt()).toBe('same-refusal');
  },
);

test('resumed, they are counted anew; a person may lift that', async () => {
  const { refused, halt, pauseAndResume, store, id } = await startRun();
  for (let n = 0; n < 3; n += 1) await refused(ALIKE);
  await pauseAndResume('same-refusal');
  await refused(ALIKE);
  await refused(ALIKE);
  expect(await halt()).toBeNull();
  await refused(ALIKE);
  expect(await halt()).toBe('same-refusal');
  await store.lift(id, 'same-refusal');
  await pauseAndResume('same-refusal');
  for (let n = 0; n < 5; n += 1) await refused(ALIKE);
  expect(await halt()).toBeNull();
});

test('a success that can not be read pauses a resumed run at once, until an answer can be read', async () => {
  const { refused, unreadable, halt, pauseAndResume } = await startRun();
  await unreadable();
  expect(await halt()).toBeNull();
  await unreadable();
  expect(await halt()).toBe('unreadable-answers');
  await pauseAndResume('unreadable-answers');
  expect(await halt()).toBeNull();
  await unreadable();
  expect(await halt()).toBe('unreadable-answers');
  await pauseAndResume('unreadable-answers');
  await refused(null, 418);
  await unreadable();
  expect(await halt()).toBeNull();
});
