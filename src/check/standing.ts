import type { JobDefinition } from '../config/job-definition.ts';
import type { KeyState } from '../model/identity.ts';
import type { Issue } from '../model/issue.ts';
import type { Call } from '../model/operation.ts';
import type { Unit } from './units.ts';

/** What a run would do with rows, as things stand now. */
export type Standing =
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  /** Nothing is left to be done about them. */
  | { readonly kind: 'skipped' }
  /** `knownId`: of the record that is updated. */
  | { readonly kind: 'sent'; readonly call: Call; readonly knownId: string | null };

/** `earlier`: the run that has this very file already; what it has is its own. */
export function standingOf(
  unit: Unit,
  state: KeyState,
  { definition, earlier }: { readonly definition: JobDefinition; readonly earlier: string | null },
): Standing {
  if (unit.mapped.kind === 'issues') return { kind: 'invalid', issues: unit.mapped.issues };
  const { operation } = definition;
  const create = operation === 'subclient.upsert' ? 'subclient.create' : operation;
  if (state.kind === 'free' || state.kind === 'given-back')
    return { kind: 'sent', call: create, knownId: null };
  if (state.run === earlier) {
    const isOpen = state.kind === 'held' && !state.inDoubt;
    return isOpen ? { kind: 'sent', call: create, knownId: null } : { kind: 'skipped' };
  }
  if (state.kind === 'held') return heldBy(unit, state, definition);
  return ofKnown(unit, state, definition);
}

function ofKnown(
  unit: Unit,
  { run, id }: Extract<KeyState, { kind: 'known' }>,
  definition: JobDefinition,
): Standing {
  const policy = definition.operation === 'subclient.upsert' ? 'update' : definition.onKnownKey;
  switch (policy) {
    case 'skip':
      return { kind: 'skipped' };
    case 'update':
      return { kind: 'sent', call: 'subclient.update', knownId: id };
    case 'fail':
      return refused(unit, definition, {
        code: 'key_known',
        expected: `a key that is not known yet; run ${run} created it as ${id}`,
      });
    default:
      return policy satisfies never;
  }
}

function heldBy(
  unit: Unit,
  { run, row, inDoubt }: Extract<KeyState, { kind: 'held' }>,
  definition: JobDefinition,
): Standing {
  const what = inDoubt ? 'its outcome is in doubt' : 'is not done yet';
  return refused(unit, definition, {
    code: inDoubt ? 'key_in_doubt' : 'key_held',
    expected: `a key that no other run has; row ${row} of run ${run} has it and ${what}`,
  });
}

function refused(
  { rows, key: value }: Unit,
  { key }: JobDefinition,
  problem: Pick<Issue, 'code' | 'expected'>,
): Standing {
  const column = key ?? null;
  return { kind: 'invalid', issues: rows.map(({ row, line }) => ({ row, line, column, value, ...problem })) };
}
