import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readKeys } from '../../../src/engine/ledger/key-claims.ts';
import type { LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import type { LedgerEpoch } from '../../../src/engine/recovery/epoch.ts';
import { openTestEpoch } from '../../support/epoch.ts';
import { claimOf } from '../../support/ledger.ts';
import { useOwnRedis } from '../../support/redis.ts';
import { ownKeys } from '../../support/runs.ts';
import { setEntry } from '../../support/stored.ts';

const own = useOwnRedis();

const CLAIMED = { kind: 'claimed' };

type Ledger = { readonly keys: LedgerKeys; readonly epoch: LedgerEpoch };

async function ownLedger(): Promise<Ledger> {
  const keys = ownKeys();
  return { keys, epoch: await openTestEpoch(own().redis, keys) };
}

const claim = (ledger: Ledger, run: string, ...rows: ReadonlyArray<readonly [number, string]>) =>
  claimOf(ledger, run, rows);

const write = ({ keys }: Ledger, key: string, entry: string) => setEntry(own().redis, keys, key, entry);

test('a key is claimed once per file: the later row is a duplicate and names the earlier', async () => {
  const ledger = await ownLedger();
  expect(await claim(ledger, 'r1', [1, 'A'], [2, 'B'], [3, 'A'])).toEqual([
    CLAIMED,
    CLAIMED,
    { kind: 'duplicate', row: 1 },
  ]);
});

test('claiming again, as a resumed reading does, gives the same answers', async () => {
  const ledger = await ownLedger();
  const rows = [1, 2, 3].map((row) => [row, row < 3 ? 'A' : 'B'] as const);
  const first = await claim(ledger, 'r1', ...rows);
  expect(await claim(ledger, 'r1', ...rows)).toEqual(first);
});

test.each([
  '20261130-091500-x7k2',
  '20000101-000000-aaaa',
  '20631231-235959-zzzz',
  '20640101-000000-0000',
  'r1',
])('of run %s is named with its whole id, however short it is kept', async (run) => {
  const ledger = await ownLedger();
  await claim(ledger, run, [7, 'A']);
  expect(await claim(ledger, run, [7, 'A'])).toEqual([CLAIMED]);
  expect(await claim(ledger, 'other', [1, 'A'])).toEqual([heldBy(run, 7)]);
});

const heldBy = (run: string, row: number, inDoubt = false) => ({ kind: 'held', run, row, inDoubt });

test.each<[string, string, object]>([
  ['claimed is held', 'c r1 7 ', heldBy('r1', 7)],
  ['in doubt is held', 'd r1 7 ', heldBy('r1', 7, true)],
  ['created is known', 'k r1 7 id 9', { kind: 'known', run: 'r1', id: 'id 9' }],
  ['given back is free', 'x r1 7 ', CLAIMED],
])('a key that another run has %s, and a second row of the file a duplicate', async (_, entry, found) => {
  const ledger = await ownLedger();
  await write(ledger, 'A', entry);
  expect(await claim(ledger, 'r1', [8, 'A'])).not.toMatchObject([CLAIMED]);
  expect(await claim(ledger, 'r2', [1, 'A'], [2, 'A'])).toEqual([found, { kind: 'duplicate', row: 1 }]);
});

/** Other texts of one form, which is the last of them. */
const TEXTS = ['CL-0003', 'Cl-0003', '\u200bCL-0003', 'cl-0003'] as const;
const alike = (run: string | null, row: number) => ({ kind: 'alike', run, row });

describe('two texts of one normal form', () => {
  test('in one file: the later row is told of the first, whatever became of that', async () => {
    const ledger = await ownLedger();
    const rows = TEXTS.map((key, i) => [i + 1, key] as const);
    const said = [CLAIMED, alike(null, 1), alike(null, 1), alike(null, 1)];
    expect(await claim(ledger, 'r1', ...rows)).toEqual(said);
    await write(ledger, TEXTS[0], 'x r1 1 ');
    expect(await claim(ledger, 'r1', ...rows, [5, TEXTS[0]])).toEqual([
      ...said,
      { kind: 'duplicate', row: 1 },
    ]);
  });

  test.each(['c r1 7 ', 'k r1 7 id', 'd r1 7 '])('over runs, where the first is %j', async (entry) => {
    const ledger = await ownLedger();
    await write(ledger, TEXTS[0], entry);
    const said = [alike('r1', 7), alike('r1', 7)];
    expect(await claim(ledger, 'r2', [1, TEXTS[1]], [2, TEXTS[3]])).toEqual(said);
    // As a resumed reading asks; and the very text is what it is.
    expect(await claim(ledger, 'r2', [1, TEXTS[1]], [2, TEXTS[3]])).toEqual(said);
    const [own] = await claim(ledger, 'r3', [1, TEXTS[0]]);
    expect(own?.kind).toBe(entry.startsWith('k') ? 'known' : 'held');
  });

  test('what was given back stands in nobody’s way, and the next text has the key', async () => {
    const ledger = await ownLedger();
    await write(ledger, TEXTS[0], 'x r1 1 ');
    expect(await claim(ledger, 'r2', [1, TEXTS[1]])).toEqual([CLAIMED]);
    expect(await claim(ledger, 'r3', [1, TEXTS[0]])).toEqual([alike('r2', 1)]);
  });

  test('are told to those who look them up', async () => {
    const ledger = await ownLedger();
    await write(ledger, TEXTS[0], 'k r1 7 id');
    const known = { kind: 'known', run: 'r1', row: 7, id: 'id' };
    const asked = { space: 'subclient', names: [TEXTS[0], TEXTS[3], 'other'] };
    expect([...(await readKeys(own().redis, ledger.keys, asked)).values()]).toEqual([
      known,
      { ...known, alike: true },
      { kind: 'free' },
    ]);
    const exact = await readKeys(own().redis, ledger.keys, { ...asked, form: 'exact' });
    expect([...exact.values()]).toEqual([known, { ...known, alike: true }, { kind: 'free' }]);
  });
});

describe('a job with keyForm: exact', () => {
  const exact = (ledger: Ledger, run: string, ...rows: ReadonlyArray<readonly [number, string]>) =>
    claimOf(ledger, run, rows, 'exact');

  test('has both texts, in one file and over runs, and each once', async () => {
    const ledger = await ownLedger();
    expect(await exact(ledger, 'r1', [1, 'A1'], [2, 'a1'], [3, 'A1'])).toEqual([
      CLAIMED,
      CLAIMED,
      { kind: 'duplicate', row: 1 },
    ]);
    const held = { kind: 'held', run: 'r1', row: 2, inDoubt: false };
    expect(await exact(ledger, 'r2', [1, '\u200ba1'], [2, 'a1'])).toEqual([CLAIMED, held]);
  });

  test('has neither the text of a loose job nor another one of its form', async () => {
    const ledger = await ownLedger();
    await write(ledger, 'A1', 'k r1 7 id');
    const known = { kind: 'known', run: 'r1', id: 'id' };
    const rows = ['a1', 'A1', 'a1', 'A1'].map((key, i) => [i + 1, key] as const);
    const said = [alike('r1', 7), known, alike('r1', 7), { kind: 'duplicate', row: 2 }];
    expect(await exact(ledger, 'r2', ...rows)).toEqual(said);
    expect(await exact(ledger, 'r2', ...rows)).toEqual(said);
  });

  test.each([
    ['the same text', ['A1'], 'A1', 'held'],
    ['the same text, which is its form', ['a1'], 'a1', 'held'],
    ['another text', ['A1'], 'a1', 'alike'],
    ['the first of several texts', ['A1', 'a1'], 'A1', 'held'],
    ['none of several texts', ['A1', 'a1'], ' A1', 'alike'],
  ])('is in the way of a loose one: %s', async (_, texts, key, kind) => {
    const ledger = await ownLedger();
    await exact(ledger, 'r1', ...texts.map((text, i) => [i + 1, text] as const));
    expect(await claim(ledger, 'r2', [1, key])).toMatchObject([{ kind, run: 'r1' }]);
    const asked = { space: 'subclient', names: [texts[0] ?? ''] };
    expect([...(await readKeys(own().redis, ledger.keys, asked)).values()]).toMatchObject([
      { kind: 'held', run: 'r1', row: 1 },
    ]);
  });

  test('is in its way also where a loose run has given the place back', async () => {
    const ledger = await ownLedger();
    await write(ledger, 'A1', 'x r1 1 ');
    await exact(ledger, 'r2', [1, 'a1']);
    expect(await claim(ledger, 'r3', [1, 'A1'])).toEqual([alike('r2', 1)]);
    expect(await claim(ledger, 'r3', [1, 'a1'])).toMatchObject([{ kind: 'held', run: 'r2' }]);
  });

  test('is in its way also where the text that came last was given back', async () => {
    const ledger = await ownLedger();
    await exact(ledger, 'r1', [1, 'A1'], [2, 'a1']);
    await setEntry(own().redis, ledger.keys, 'a1', 'x r1 2 ', { form: 'exact' });
    expect(await claim(ledger, 'r2', [1, ' A1'])).toEqual([alike('r1', 1)]);
  });
});

test('whatever the order of claims, a form has one row, or several of exact jobs, each with its own text', async () => {
  const claims = fc.record({
    run: fc.constantFrom('loose 1', 'loose 2', 'exact 1', 'exact 2'),
    key: fc.constantFrom('a', 'A', ' a', 'b'),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(claims, { minLength: 1, maxLength: 12 }), async (all) => {
      const ledger = await ownLedger();
      const ask = async () => {
        const said = [];
        for (const [i, { run, key }] of all.entries()) {
          const form = run.startsWith('exact') ? 'exact' : 'loose';
          said.push((await claimOf(ledger, run.replace(' ', '-'), [[i + 1, key]], form))[0]?.kind);
        }
        return said;
      };
      const said = await ask();
      const won = all.filter((_, i) => said[i] === 'claimed');
      const texts = won.map(({ key }) => key);
      expect(new Set(texts).size).toBe(texts.length);
      const formOf = (key: string) => key.trim().toLowerCase();
      for (const { key } of won.filter(({ run }) => run.startsWith('loose')))
        expect(texts.filter((text) => formOf(text) === formOf(key))).toEqual([key]);
      // Whoever reads its file once more has what it had, and nobody else.
      expect((await ask()).map((kind) => kind === 'claimed')).toEqual(said.map((kind) => kind === 'claimed'));
    }),
    { numRuns: 100 },
  );
});
