import { expect, test } from 'vitest';
import { intentsText } from '../../../src/engine/ledger/intent.ts';
import { claimKeys } from '../../../src/engine/ledger/key-claims.ts';
import type { FieldsChange, SettledRow } from '../../../src/engine/ledger/settle-entry.ts';
import { decodeLine, encodeLine } from '../../../src/engine/recovery/journal/record.ts';
import { createReplay } from '../../../src/engine/recovery/replay.ts';
import { claimOf, entriesIn, grantOf, intentOn, runningRun, settleEntries } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { settledRow } from '../../support/settled-row.ts';

const own = useOwnRedis();
const PLACE = { space: 'subclient', key: 'K1' };
const MARK = 'i me.1 1.1';
const NEXT = 'i me.2 2.1';
const CONTENT = 'content1';
const OTHER = 'content2';

type Bench = Awaited<ReturnType<typeof runningRun>>;

const startBench = () => runningRun(own().redis, { rows: 3 });

/** What a later run is told of the key's content. */
async function known(bench: Bench): Promise<string | undefined> {
  const [claim] = await claimOf(bench, 'run-later', [[1, 'K1']]);
  return claim?.kind === 'known' ? claim.content : claim?.kind;
}

const created = (over: Partial<SettledRow> = {}) =>
  settledRow(1, 'created', { mark: MARK, identity: PLACE, content: CONTENT, ...over });

async function create(bench: Bench): Promise<void> {
  await claimOf(bench, bench.id, [[1, 'K1']]);
  await grantOf(bench.ledger, intentOn(1, MARK, { identity: PLACE }));
  await bench.ledger.settle(created());
}

/** An update that another row of the run has under way. */
const intendUpdate = (bench: Bench, before = '') =>
  grantOf(bench.ledger, intentOn(2, NEXT, { fields: { ...PLACE, before, own: '~me.2' }, repeatable: true }));

const answerUpdate = (bench: Bench, outcome: 'updated' | 'rejected', over: Partial<FieldsChange> = {}) =>
  bench.ledger.settle(
    settledRow(2, outcome, {
      mark: NEXT,
      fields: { ...PLACE, before: '~me.2', after: 'fields', content: OTHER, ...over },
    }),
  );

test('what was accepted is known with the key from then on, of rows that ended together, too', async () => {
  const bench = await startBench();
  await create(bench);
  expect(await known(bench)).toBe(CONTENT);

  const together = await startBench();
  const rows = [{ row: 1, key: 'K1' }];
  const space = { name: 'subclient', ofRun: false };
  const claiming = { run: together.id, space, rows };
  const { verification } = await claimKeys(together.epoch, together.keys, claiming);
  const range = { chunk: 1, fencingToken: 'me.1', seen: '', from: 0, repeatable: false, outOfOrder: [] };
  const going = { ...range, claimed: verification, rows: [{ row: 1, identity: PLACE }] };
  await together.ledger.exchange({ ranges: [going] });
  await together.ledger.exchange({ ended: [created({ mark: 'i me.1 1.1' })] });
  expect(await known(together)).toBe(CONTENT);
});

test('a doubt, and a person’s word that the row was created, leave it unknown', async () => {
  const bench = await startBench();
  await claimOf(bench, bench.id, [[1, 'K1']]);
  await bench.ledger.settle(settledRow(1, 'in-doubt', { identity: PLACE, content: CONTENT }));
  await bench.ledger.settle(created({ content: '' }));
  expect(await known(bench)).toBeUndefined();
});

test('an update under way leaves it unknown; accepted, it is what was sent then, refused, as before', async () => {
  const bench = await startBench();
  await create(bench);
  await intendUpdate(bench);
  expect(await known(bench)).toBeUndefined();
  await answerUpdate(bench, 'rejected', { after: '', content: CONTENT });
  expect(await known(bench)).toBe(CONTENT);

  const accepted = await startBench();
  await create(accepted);
  await intendUpdate(accepted);
  await answerUpdate(accepted, 'updated');
  expect(await known(accepted)).toBe(OTHER);
});

test('where two updates are under way, nobody knows what the service has', async () => {
  const bench = await startBench();
  await create(bench);
  await intendUpdate(bench);
  const third = { fields: { ...PLACE, before: '', own: '~me.3' }, repeatable: true };
  await grantOf(bench.ledger, intentOn(3, 'i me.3 3.1', third));
  await answerUpdate(bench, 'updated');
  expect(await known(bench)).toBeUndefined();
});

test('the journals put it back with the key, and an update that was under way takes it again', async () => {
  const bench = await startBench();
  const replay = createReplay(own().redis, bench.keys);
  await replay.settled(bench.id, settleEntries(bench.keys, [created()]));
  expect(await known(bench)).toBe(CONTENT);

  const fields = { ...PLACE, before: '', own: '~me.2' };
  const next = intentsText([], [intentOn(2, NEXT, { fields, repeatable: true })], bench.keys);
  const line = decodeLine(encodeLine({ kind: 'intended', run: bench.id, next }).trimEnd());
  if (line?.kind !== 'intended') throw new Error('the journal can not be read back');
  await replay.intended(bench.id, line.rows);
  expect(await known(bench)).toBeUndefined();
});

test('the journal has it of rows that were told together', () => {
  const cells = [1, 'bucket', 'digest', 'id-1', CONTENT, 'places'];
  const together = { chunk: 1, fencingToken: 'me.1', outcome: 'created', settlements: '[[1]]', rows: cells };
  const [entry] = entriesIn(JSON.stringify({ together: [together], rows: [] }));
  expect(entry).toMatchObject({
    key: { bucket: 'bucket', digest: 'digest', id: 'id-1', content: CONTENT, accounts: 'places' },
  });
});
