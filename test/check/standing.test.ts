import { describe, expect, test } from 'vitest';
import { standingOf } from '../../src/check/standing.ts';
import type { Unit } from '../../src/check/units.ts';
import { jobDefinitionSchema } from '../../src/config/job-definition.ts';
import type { KeyState } from '../../src/model/identity.ts';
import type { Row } from '../../src/model/row.ts';

const FIRST: Row = { kind: 'cells', row: 3, line: 4, cells: ['K3'] };
const UNIT: Unit = {
  rows: [FIRST],
  first: FIRST,
  key: 'K3',
  mapped: { kind: 'mapped', body: {}, pathId: null, warnings: [], references: [] },
};
const KNOWN = { kind: 'known', run: 'run-0', row: 9, id: 'sub-9' } as const;
const HELD = { kind: 'held', run: 'run-0', row: 9, inDoubt: false } as const;
const DOUBT = { ...HELD, inDoubt: true };
const CREATE = { kind: 'sent', call: 'subclient.create', knownId: null } as const;

function standing(state: KeyState, over: object = {}, earlier: string | null = null) {
  const definition = jobDefinitionSchema.parse({ operation: 'subclient.create', key: 'Ref', ...over });
  return standingOf(UNIT, state, { definition, earlier });
}

describe('a row whose key', () => {
  test.each([
    ['is free', { kind: 'free' } as const],
    ['was given back', { kind: 'given-back', run: 'run-0', row: 9 } as const],
  ])('%s is sent as a create', (_, state) => {
    expect([standing(state), standing(state, { operation: 'subclient.upsert' })]).toEqual([CREATE, CREATE]);
  });

  test('is known is skipped, updated or invalid, as the job says', () => {
    expect(standing(KNOWN)).toEqual({ kind: 'skipped' });
    const update = { kind: 'sent', call: 'subclient.update', knownId: 'sub-9' };
    expect(standing(KNOWN, { onKnownKey: 'update' })).toEqual(update);
    expect(standing(KNOWN, { operation: 'subclient.upsert' })).toEqual(update);
    expect(standing(KNOWN, { onKnownKey: 'fail' })).toMatchObject({
      kind: 'invalid',
      issues: [
        {
          row: 3,
          line: 4,
          column: 'Ref',
          value: 'K3',
          code: 'key_known',
          expected: 'a key that is not known yet; run run-0 created it as sub-9',
        },
      ],
    });
  });

  test.each([
    ['is not done yet', HELD, 'key_held'],
    ['is in doubt', DOUBT, 'key_in_doubt'],
  ] as const)('%s in another run is invalid', (_, state, code) => {
    expect(standing(state)).toMatchObject({ kind: 'invalid', issues: [{ code }] });
  });

  test('is in the hands of the run of this very file goes on with it, and what that one has done is not done again', () => {
    expect(standing(HELD, { onKnownKey: 'fail' }, 'run-0')).toEqual(CREATE);
    expect(standing(KNOWN, { onKnownKey: 'fail' }, 'run-0')).toEqual({ kind: 'skipped' });
    expect(standing(DOUBT, {}, 'run-0')).toEqual({ kind: 'skipped' });
  });
});
