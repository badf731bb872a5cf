import type { Mark } from '../ledger/mark.ts';
import { besideKeyless, type GroupMapped, mergeGroup } from '../mapping/group.ts';
import type { Issue } from '../model/issue.ts';
import type { Mapped } from '../model/mapping.ts';
import type { Settlement } from '../model/settlement.ts';
import { invalidEnd } from './plan-request.ts';
import { planCancelled, planRequest } from './plan-row.ts';
import type { Means, RowPlan } from './row-plan.ts';
import type { RowEnd, RowTask } from './row-task.ts';

/** Rows that travel in one request; the first carries its intent and its key. */
export type GroupTask = {
  readonly lead: RowTask;
  readonly mates: readonly RowTask[];
  /** The row beside them that has no readable key and may be one of them; `null`: there is none. */
  readonly keyless: number | null;
};

/** What is to be done about a group, with what is each row's own. */
export type GroupPlan = {
  readonly plan: RowPlan;
  /** The end of a row where it is not the plan's. */
  readonly ends: ReadonlyMap<number, RowEnd>;
  readonly warnings: ReadonlyMap<number, readonly Issue[]>;
};

const NOTHING_OWN = { ends: new Map<number, RowEnd>(), warnings: new Map<number, readonly Issue[]>() };

/**
 * Decides a group's next step. Its rows end together: where a worker died while it recorded them, the others get
 * what one of them has already.
 */
export function planGroup(
  { lead, mates, keyless }: GroupTask,
  marks: ReadonlyMap<number, Mark>,
  means: Means & { readonly list: string },
): GroupPlan {
  const rows = [lead, ...mates].map(({ row }) => row);
  const known = rows.map(({ row }) => marks.get(row));
  if (known.every((mark) => mark?.kind === 'settled')) return { plan: { kind: 'done' }, ...NOTHING_OWN };
  const first = marks.get(lead.row.row);
  if (first?.kind === 'settled') return settledLike(first.settlement);
  const decided = known.find((mark) => mark?.kind === 'settled' && mark.settlement.outcome !== 'invalid');
  if (decided?.kind === 'settled') return settledLike(decided.settlement);
  let own: Omit<GroupPlan, 'plan'> = NOTHING_OWN;
  const map = () => {
    const merged =
      keyless === null
        ? mergeGroup(rows, (row) => means.mapping.map(row), means.list)
        : besideKeyless(rows, keyless);
    own = ownOf(merged);
    return mappedOf(merged, lead.row.row);
  };
  const plan = planRequest(lead, first, { means, map });
  return { plan, ...own };
}

function ownOf(merged: GroupMapped): Omit<GroupPlan, 'plan'> {
  if (merged.kind === 'mapped') return { ...NOTHING_OWN, warnings: merged.warnings };
  const ends = [...merged.issues].map(([row, issues]) => [row, invalidEnd(issues)] as const);
  return { ...NOTHING_OWN, ends: new Map(ends) };
}

/** What the first row stands for; the others' issues and warnings are theirs. */
function mappedOf(merged: GroupMapped, lead: number): Mapped {
  if (merged.kind === 'mapped') return { ...merged, warnings: [] };
  return { kind: 'issues', issues: merged.issues.get(lead) ?? [] };
}

/** The same for a cancelled run: where the request may have left, all its rows are in doubt. */
export function planCancelledGroup({ lead, mates }: GroupTask, marks: ReadonlyMap<number, Mark>): GroupPlan {
  const known = [lead, ...mates].map(({ row }) => marks.get(row.row));
  if (known.every((mark) => mark?.kind === 'settled')) return { plan: { kind: 'done' }, ...NOTHING_OWN };
  const decided = known.find((mark) => mark?.kind === 'settled');
  if (decided?.kind === 'settled') return settledLike(decided.settlement);
  return { plan: planCancelled(lead, marks.get(lead.row.row)), ...NOTHING_OWN };
}

function settledLike({ row, ...settled }: Settlement): GroupPlan {
  const { outcome, status, id, attempts, ms, code, message } = settled;
  const end: RowEnd =
    outcome === 'invalid'
      ? { outcome, code: 'group_member', message: `row ${row}, of the same key, can't be sent` }
      : { outcome, status, id, attempts, ms, code, message };
  return { plan: { kind: 'settle', end }, ...NOTHING_OWN };
}
