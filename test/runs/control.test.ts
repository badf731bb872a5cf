import { describe, expect, test } from 'vitest';
import { noOutcomes } from '../../src/model/outcome.ts';
import { assertCanGo } from '../../src/runs/control.ts';
import { ownerOf } from '../../src/runs/register.ts';
import { sampleRun } from '../faces/cli/sample-run.ts';

const NEVER = new AbortController().signal;

/** A lease that looks so at each look; after the last, always like that. */
function leases(...looks: ReadonlyArray<number | null>) {
  let at = -1;
  return {
    leaseOf: async () => {
      at = Math.min(at + 1, looks.length - 1);
      const ms = looks[at] ?? null;
      return ms === null ? null : { holder: 'host.1', ms };
    },
  };
}

describe('the owner of a run', () => {
  test('is the process that renews its lease', async () => {
    expect(await ownerOf({ id: 'run-1' }, leases(9000, 8900, 8800, 9950), NEVER)).toBe('host.1');
  });

  test('is nobody where there is no lease', async () => {
    expect(await ownerOf({ id: 'run-1' }, leases(null), NEVER)).toBe(null);
  });

  test('is nobody where the lease is given back or lapses: that process was leaving, or dead', async () => {
    expect(await ownerOf({ id: 'run-1' }, leases(300, 200, 100, null), NEVER)).toBe(null);
  });
});

test.each([
  ['finished', { created: 10 }, '`onboard report r` says what is left to do.'],
  ['cancelled', { created: 9 }, '`onboard cancel r` winds it up.'],
  ['cancelled', { created: 9, cancelled: 1 }, '`onboard report r` says what is left to do.'],
] as const)('a run that is %s with %j: what is left to be done is named', (state, counts, words) => {
  const outcomes = { ...noOutcomes(), ...counts };
  expect(() => assertCanGo(sampleRun({ id: 'r', state, outcomes }), false)).toThrow(words);
});
