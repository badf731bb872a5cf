import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chainsIn, digestOf, type Misfit, misfitOf } from '../../src/model/audit.ts';

/** A chain as the ledger writes it, of so many entries. */
function chainOf(length: number, ledger = 'sandbox'): string[] {
  const texts: string[] = [];
  for (let n = 1; n <= length; n += 1) {
    const of = { reason: `because ${n}` };
    const who = { ledger, actor: 'ops-1', via: 'page' };
    const entry = { n, at: '2026-11-21T11:00:00.000Z', run: 'r', ...who, what: 'paused', of };
    texts.push(JSON.stringify({ ...entry, prev: n === 1 ? '' : digestOf(texts.at(-1) ?? '') }));
  }
  return texts;
}

const LENGTH = 12;
const chain = chainOf(LENGTH);
/** Two places, the first before the second. */
const places = fc
  .uniqueArray(fc.nat(LENGTH - 2), { minLength: 2, maxLength: 2 })
  .map((two) => two.sort((a, b) => a - b));
const place = fc.nat(LENGTH - 2);

/** The chain with that change to one entry. */
function changedAt(at: number, over: object): string[] {
  return chain.with(at, JSON.stringify({ ...JSON.parse(chain[at] ?? ''), ...over }));
}

describe('a chain', () => {
  test('fits, and so does a chain of each of several ledgers in one file', () => {
    expect(misfitOf(chain)).toBeNull();
    expect(misfitOf([])).toBeNull();
    const [one, other] = [chainOf(3, 'a'), chainOf(3, 'b')];
    const mixed = one.flatMap((text, i) => [text, other[i] ?? '']);
    expect([...chainsIn(mixed)]).toEqual([
      ['a', one],
      ['b', other],
    ]);
  });

  test.each<object>([
    { what: 'resumed' },
    { actor: 'ops-2' },
    { of: { reason: 'another' } },
    { prev: 'f'.repeat(64) },
    { n: 999 },
    { more: 1 },
  ])('with an entry that was changed to %j', (change) => {
    fc.assert(
      fc.property(place, (at) => {
        expect(misfitOf(changedAt(at, change))).toEqual({ place: at + 1, kind: 'changed' });
        const spaced = chain.with(at, (chain[at] ?? '').replace(':', ': '));
        expect(misfitOf(spaced)).toEqual({ place: at + 1, kind: 'changed' });
      }),
    );
  });

  test('with entries that were taken out', () => {
    fc.assert(
      fc.property(places, ([from = 0, to = 0]) => {
        expect(misfitOf(chain.toSpliced(from, to - from))).toEqual({ place: from + 1, kind: 'removed' });
      }),
    );
  });

  test('with a copy of an entry put in, or one that was made up', () => {
    fc.assert(
      fc.property(place, place, (of, at) => {
        const copied = misfitOf(chain.toSpliced(at, 0, chain[of] ?? ''));
        // Of two that are the same beside each other, the second is one too many.
        expect(copied).toEqual({ place: (of === at ? at + 1 : at) + 1, kind: 'put in' });
        const forged = JSON.stringify({
          ...JSON.parse(chain[at] ?? ''),
          actor: 'ops-2',
          prev: 'f'.repeat(64),
        });
        expect(misfitOf(chain.toSpliced(at, 0, forged))).toEqual({ place: at + 1, kind: 'put in' });
      }),
    );
  });

  test('with two that were swapped', () => {
    fc.assert(
      fc.property(places, ([a = 0, b = 0]) => {
        const swapped = chain.with(a, chain[b] ?? '').with(b, chain[a] ?? '');
        expect(misfitOf(swapped)).toEqual({ place: a + 1, kind: 'swapped' });
      }),
    );
  });

  test('that goes on from an earlier entry, as after a Redis that lost its tail', () => {
    fc.assert(
      fc.property(place, (kept) => {
        const anew = changedAt(kept, { actor: 'ops-2' }).slice(kept, kept + 1);
        const expected: Misfit = { place: LENGTH + 1, kind: 'forked' };
        expect(misfitOf([...chain, ...anew])).toEqual(expected);
      }),
    );
  });
});
