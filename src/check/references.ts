import type { KeyState } from '../model/identity.ts';
import type { Reference, ReferenceSpace } from '../model/mapping.ts';
import type { SeenKeys, Unit } from './units.ts';

/** A key that a row refers to and that is neither known nor created by an earlier row; holds a cell's value. */
export type OpenReference = {
  readonly row: number;
  readonly line: number;
  readonly column: string;
  readonly space: ReferenceSpace;
  readonly key: string;
  /** What the ledger says of it. */
  readonly state: 'free' | 'held' | 'in-doubt' | 'not-created';
};

export type ReferenceCounts = {
  readonly total: number;
  /** The ledger has the identifier. */
  readonly known: number;
  /** An earlier row creates it, in this file or in one before it. */
  readonly inFile: number;
  readonly unresolved: number;
  /** Rows that have such a reference: they wait until what they refer to is loaded. */
  readonly unresolvedRows: number;
  /** The first of them. */
  readonly examples: readonly OpenReference[];
};

const EXAMPLES = 3;

export type StateOf = (space: string, key: string) => KeyState;

/** Counts the references of rows in file order; `before`: the keys of files that are taken first. */
export function createReferenceTally(
  createsIn: ReferenceSpace | null,
  { seen, before }: { readonly seen: SeenKeys; readonly before: readonly SeenKeys[] },
) {
  const counts = { total: 0, known: 0, inFile: 0, unresolved: 0, unresolvedRows: 0 };
  const examples: OpenReference[] = [];
  const isInFile = ({ space, key }: Reference, row: number) => {
    // A row that comes later is not waited for: two rows could wait for each other.
    if (space !== createsIn) return false;
    const creator = seen.creatorOf(key);
    return (creator !== null && creator < row) || before.some((earlier) => earlier.creatorOf(key) !== null);
  };
  const addOpen = (reference: Reference, { row, line }: Unit['first'], state: NotKnown) => {
    counts.unresolved += 1;
    if (examples.length === EXAMPLES) return;
    const { column, space, key } = reference;
    examples.push({ row, line, column, space, key, state: standingOf(state) });
  };
  const addOne = (reference: Reference, { first }: Unit, state: KeyState) => {
    counts.total += 1;
    if (state.kind === 'known') counts.known += 1;
    else if (isInFile(reference, first.row)) counts.inFile += 1;
    else addOpen(reference, first, state);
  };
  return {
    /** Whether the unit waits: it has a reference that is open. */
    add(unit: Unit, stateOf: StateOf): boolean {
      if (unit.mapped.kind === 'issues') return false;
      const before = counts.unresolved;
      for (const reference of unit.mapped.references)
        addOne(reference, unit, stateOf(reference.space, reference.key));
      const waits = counts.unresolved > before;
      if (waits) counts.unresolvedRows += unit.rows.length;
      return waits;
    },
    counts: (): ReferenceCounts => ({ ...counts, examples }),
  };
}

type NotKnown = Exclude<KeyState, { kind: 'known' }>;

function standingOf(state: NotKnown): OpenReference['state'] {
  if (state.kind === 'held') return state.inDoubt ? 'in-doubt' : 'held';
  return state.kind === 'free' ? 'free' : 'not-created';
}
