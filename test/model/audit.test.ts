import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf, verifyChains } from '../../src/model/audit.ts';

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

const misfitOf = (lines: readonly string[]) => verifyChains(lines).misfit;

describe('a chain', () => {
  test('fits, and so does a chain of each of several ledgers in one file', () => {
    expect(misfitOf([])).toBeNull();
    const [one, other] = [chainOf(3, 'a'), chainOf(3, 'b')];
    const mixed = one.flatMap((text, i) => [text, other[i] ?? '']);
    const headOf = (texts: readonly string[]) => ({ n: 3, head: digestOf(texts.at(-1) ?? '') });
    const heads = new Map([
      ['a', headOf(one)],
      ['b', headOf(other)],
    ]);
    expect(verifyChains(mixed)).toEqual({ heads, misfit: null });
    expect(misfitOf(mixed.toSpliced(4, 1))).toBeNull();
    expect(misfitOf(mixed.toSpliced(2, 1))).toBe(4);
  });

  test.each<readonly [at: string, change: object, later: number]>([
    ['itself', { prev: 'f'.repeat(64) }, 0],
    ['itself', { n: 999 }, 0],
    ['itself', { more: 1 }, 0],
    ['the next one', { what: 'resumed' }, 1],
    ['the next one', { actor: 'ops-2' }, 1],
    ['the next one', { of: { reason: 'another' } }, 1],
  ])('does not fit at %s with an entry that was changed to %j', (_, change, later) => {
    fc.assert(
      fc.property(place, (at) => {
        expect(misfitOf(changedAt(at, change))).toBe(at + 1 + later);
      }),
    );
  });

  test('does not fit with an entry in another spelling, one taken out, or one put in', () => {
    fc.assert(
      fc.property(place, place, (at, of) => {
        expect(misfitOf(chain.with(at, (chain[at] ?? '').replace(':', ': ')))).toBe(at + 1);
        expect(misfitOf(chain.toSpliced(at, 1))).toBe(at + 1);
        // Of two that are the same beside each other, the second is one too many.
        expect(misfitOf(chain.toSpliced(at, 0, chain[of] ?? ''))).toBe((of === at ? at + 1 : at) + 1);
      }),
    );
  });

  test('does not fit with two that were swapped, or where it goes on from an earlier entry', () => {
    fc.assert(
      fc.property(places, ([a = 0, b = 0]) => {
        expect(misfitOf(chain.with(a, chain[b] ?? '').with(b, chain[a] ?? ''))).toBe(a + 1);
        const anew = changedAt(a, { actor: 'ops-2' }).slice(a, a + 1);
        expect(misfitOf([...chain, ...anew])).toBe(LENGTH + 1);
      }),
    );
  });
});
