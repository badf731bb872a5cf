import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FREE, type KeyState } from '../../../src/model/identity.ts';
import type { Row } from '../../../src/model/row.ts';
import { createGroupCutter, type RowGroup } from '../../../src/model/row-group.ts';
import { createApartRows } from '../../../src/readers/intake/apart-rows.ts';
import {
  type Asked,
  askFor,
  createSeenKeys,
  type Forecast,
  foresee,
} from '../../../src/runs/check/forecast.ts';
import { createFileIdentify } from '../../../src/runs/identities.ts';
import { NO_KEYS } from '../../../src/runs/rows.ts';
import { compiled, lookWith, PAYEES, rowsOf, SUBCLIENTS } from './sample-portfolio.ts';

const KNOWN = { kind: 'known', run: 'run-0', row: 9, id: 'sub-9' } as const;
const HELD = { kind: 'held', run: 'run-0', row: 9, inDoubt: false } as const;
const DOUBT = { ...HELD, inDoubt: true };
const CREATE = ['POST', '/v1/subclients'];
const UPDATE = ['PATCH', '/v1/subclients/sub-9'];

type Given = {
  /** What the job says otherwise. */
  readonly job?: object;
  readonly states?: Readonly<Record<string, KeyState>>;
  readonly earlier?: string;
  /** Rows that are looked at together. */
  readonly batch?: number;
};

/** What a run would do with the requests that rows make. */
async function fatesOf(lines: readonly string[], given: Given = {}) {
  const { job = {}, states = {}, earlier = null, batch = 100 } = given;
  const { definition, mapping } = compiled({ ...SUBCLIENTS, ...job });
  const cutter = createGroupCutter<Row>(definition.group === undefined ? null : mapping.groupOf);
  const rows = rowsOf(lines);
  const apart = createApartRows(definition.group === undefined ? NO_KEYS : mapping);
  for (const row of rows) apart.see(row);
  const foreseeing = {
    definition,
    mapping,
    sha256: 'f'.repeat(64),
    look: lookWith(async (places) => places.map(({ key }) => states[key] ?? FREE)),
    comesFrom: () => new Set<string>(),
    identify: createFileIdentify('f'.repeat(64), { definition, mapping }),
    accountsOf: null,
    earlier,
    seen: createSeenKeys('loose'),
    apart: new Map(apart.found()),
    before: [],
    isShown: () => true,
  };
  const forecasts: Forecast[] = [];
  let asked: Asked | null = null;
  // As a check does it: the next rows are asked for before these are looked at.
  const look = async (groups: ReadonlyArray<RowGroup<Row> | null>) => {
    const next = askFor(
      groups.filter((group) => group !== null),
      foreseeing,
    );
    if (asked !== null) forecasts.push(...(await foresee(asked, foreseeing)));
    asked = next;
  };
  for (let at = 0; at < rows.length; at += batch)
    await look(rows.slice(at, at + batch).map((row) => cutter.take(row)));
  await look([cutter.end()]);
  await look([]);
  return forecasts.map(({ rows: own, fate }) => ({ rows: own.map(({ row }) => row), fate }));
}

/** Of one row with the key K3. */
async function fateOf(state: KeyState, given: Omit<Given, 'states'> = {}) {
  const [first] = await fatesOf(['K3,Acme'], { ...given, states: { K3: state } });
  return first?.fate;
}

const shown = (fate: Awaited<ReturnType<typeof fateOf>>) => {
  if (fate?.kind === 'sent') return [fate.request.method, fate.request.path];
  return fate?.kind === 'invalid' ? fate.issues.map(({ code }) => code) : fate?.kind;
};

describe('a row whose key', () => {
  test('is known is updated with onKnownKey: update', async () => {
    expect(shown(await fateOf(KNOWN, { job: { onKnownKey: 'update' } }))).toEqual(UPDATE);
  });

  test('is in the hands of the run of this very file goes on with it, and what that one has done is not done again', async () => {
    const own = { job: { onKnownKey: 'fail' }, earlier: 'run-0' };
    expect(shown(await fateOf(HELD, own))).toEqual(CREATE);
    expect(shown(await fateOf(KNOWN, own))).toBe('skipped');
    expect(shown(await fateOf(DOUBT, own))).toBe('skipped');
  });

  test('keeps it from being sent is named with its column, its value and the words of a run’s report', async () => {
    const expected = 'a key that is not known yet; already created by run {run} as {id}';
    const values = { run: 'run-0', id: 'sub-9' };
    const issue = { row: 1, line: 2, column: 'Ref', value: 'K3', code: 'key_known', expected, values };
    const fate = await fateOf(KNOWN, { job: { onKnownKey: 'fail' } });
    expect(fate).toEqual({ kind: 'invalid', issues: [issue] });
  });
});

describe.each([1, 2, 100])('rows of one key, %i at a time,', (batch) => {
  const fates = async (lines: readonly string[]) =>
    (await fatesOf(lines, { job: PAYEES, batch })).map(
      ({ rows, fate }) => `${rows}: ${fate.kind === 'sent' ? 'sent' : shown(fate)}`,
    );

  test('are one request; where some stand apart, none of the key is sent', async () => {
    expect(await fates(['a,A,1', 'a,A,2', 'b,B,3', 'c,C,4', 'c,C,5', 'a,A,6'])).toEqual([
      '1,2: group_apart,group_apart',
      '3: sent',
      '4,5: sent',
      '6: group_apart',
    ]);
  });

  test('are not sent where a row beside them has no key', async () => {
    expect(await fates(['a,A,1', 'a,A,2', ',A,3', 'b,B,4', 'c,C,5'])).toEqual([
      '1,2: group_member,group_member',
      ...['3: empty_key', '4: group_member', '5: sent'],
    ]);
  });
});

const waits = async (lines: readonly string[], given: Given = {}) =>
  (await fatesOf(lines, given)).map(({ fate }) =>
    fate.kind === 'sent' ? (fate.waits ? 'waits' : 'sent') : fate.kind,
  );

test.each<[string, readonly string[], Given, string[]]>([
  ['an earlier one is sent', ['A,Acme', 'B,Bay,,A'], {}, ['sent', 'sent']],
  ['a later one waits', ['B,Bay,,A', 'A,Acme'], {}, ['waits', 'sent']],
  ['one that is invalid waits', ['A,', 'B,Bay,,A'], {}, ['invalid', 'waits']],
  ['one that waits waits', ['A,Acme,,X', 'B,Bay,,A'], {}, ['waits', 'waits']],
  ['a known record is sent', ['B,Bay,,A'], { states: { A: KNOWN } }, ['sent']],
  ['a known one of its file is sent', ['A,Acme', 'B,Bay,,A'], { states: { A: KNOWN } }, ['skipped', 'sent']],
  ['one that another run has waits', ['A,Acme', 'B,Bay,,A'], { states: { A: HELD } }, ['invalid', 'waits']],
])('a row that refers to %s', async (_, lines, given, fates) => {
  expect(await waits(lines, given)).toEqual(fates);
  expect(await waits(lines, { ...given, batch: 1 })).toEqual(fates);
});

const KEYS = ['A', 'B', 'b', 'C', ''];
const someKey = fc.constantFrom(...KEYS);
const someLine = fc
  .tuple(someKey, fc.constantFrom('Acme', 'Bay', ''), someKey)
  .map(([key, name, parent]) => `${key},${name},,${parent}`);
const someStates = fc.dictionary(
  fc.constantFrom(...KEYS),
  fc.constantFrom<KeyState>(KNOWN, HELD, DOUBT, { ...KNOWN, content: 'unlikely' }, { ...HELD, alike: true }),
);

test('what becomes of rows is the same wherever they are cut, and whatever is asked ahead', async () => {
  const policy = fc.constantFrom('skip', 'update', 'fail');
  await fc.assert(
    fc.asyncProperty(
      fc.array(someLine, { minLength: 1, maxLength: 12 }),
      someStates,
      policy,
      fc.integer({ min: 1, max: 6 }),
      async (lines, states, onKnownKey, batch) => {
        const given = { states, job: { onKnownKey } };
        expect(await fatesOf(lines, { ...given, batch })).toEqual(await fatesOf(lines, given));
      },
    ),
    { numRuns: 60 },
  );
});
