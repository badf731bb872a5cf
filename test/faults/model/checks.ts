import { firstIntentIn } from '../../../src/engine/ledger/mark.ts';
import { OUTCOMES } from '../../../src/model/outcome.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import type { Event } from './events.ts';
import { type Facts, factsOf, type State } from './state.ts';
import type { RowView, View } from './view.ts';
import type { World } from './world.ts';

/** The ledger said or did what it must not. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

function must(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}

/**
 * A grant: nobody else may still be sending the row, and nothing was made of it; but under one
 * value, while the service knows that.
 */
export function expectExclusive({ state, idempotency }: World, row: number, mark: string): void {
  const { open, entities } = factsOf(state, row);
  const firsts = [mark, ...open].map(firstIntentIn);
  const isShared = firsts.every(
    (first) =>
      first !== null && first.value === firsts[0]?.value && idempotency?.isRemembered(first) === true,
  );
  if (isShared) return;
  const others = open.filter((one) => one !== mark);
  must(others.length === 0, `row ${row} was granted to "${mark}" while "${others}" may be on its way`);
  must(entities.length === 0, `row ${row} was granted to "${mark}" after ${entities} was made`);
}

/** What the service accepted is in the ledger as soon as it was to be recorded. */
export function expectAcceptedKept(view: View, { row, outcome }: Settlement): void {
  if (outcome !== 'created') return;
  const after = outcomeOf(view.rows[row - 1]);
  must(after === 'created', `row ${row} was accepted, and the ledger says ${after}`);
}

/** All that must hold after an event. */
export function expectTrue({ state, run }: World, view: View, event: Event): void {
  expectCounts(view);
  const isPossiblySent = Number(view.record.suspect ?? 0) > 0;
  // On a busy machine a worker may check in too late: what only its journal knows is in doubt by the run's own sign until it comes.
  const isLate = isPossiblySent && !state.disks.some(({ fate }) => fate === 'lost');
  state.facts.forEach((facts, i) => {
    const row = view.rows[i] ?? { kind: 'unsent' };
    const name = `row ${i + 1}`;
    must(facts.entities.length <= 1, `${name} was created as ${facts.entities}`);
    expectTruth(row, facts, name);
    expectIdentity(row, view.identities[i] ?? '', {
      owner: `${run.id} ${i + 1}`,
      isAhead: state.halves > 0,
      name,
    });
    if (state.away !== null) return;
    if (!isLate) expectKept(row, facts, { ...weaknesses(state), name });
    expectNotFreed(row, {
      before: state.view?.rows[i],
      event,
      isPaused: view.record.state === 'paused',
      name,
    });
    must(
      row.kind !== 'unsent' || facts.open.length === 0 || isPossiblySent,
      `${name} may be on its way and is free`,
    );
  });
}

function expectCounts({ record, rows, doubts }: View): void {
  for (const outcome of OUTCOMES) {
    const count = Number(record[`o:${outcome}`] ?? 0);
    const settled = rows.filter((row) => outcomeOf(row) === outcome).length;
    must(count === settled, `${settled} rows are ${outcome} and ${count} are counted`);
  }
  const doubted = rows.flatMap((row, i) => (outcomeOf(row) === 'in-doubt' ? [i + 1] : []));
  must(`${doubted}` === `${doubts}`, `rows ${doubted} are in doubt, and listed are ${doubts}`);
}

/** What the ledger says agrees with what the service has. */
function expectTruth(row: RowView, { entities }: Facts, name: string): void {
  if (row.kind !== 'settled') return;
  const { outcome, id, code } = row.settlement;
  if (outcome === 'created')
    must(id === entities[0], `${name} is created as ${id}, and made was ${entities}`);
  // A person may have looked before a request that was still on its way arrived.
  const isUnmade = outcome !== 'created' && outcome !== 'in-doubt' && code !== 'not_created';
  if (isUnmade) must(entities.length === 0, `${name} is ${outcome}, and ${entities} was made`);
}

function expectIdentity(
  row: RowView,
  held: string,
  { owner, isAhead, name }: { readonly owner: string; readonly isAhead: boolean; readonly name: string },
): void {
  // A torn command wrote the key before the mark: it says what the service answered, also of a row
  // that a person took for not created.
  const isOpen = row.kind !== 'settled' || ['in-doubt', 'failed'].includes(row.settlement.outcome);
  if (isAhead && isOpen && held.startsWith(` ${owner} `, 1)) return;
  if (row.kind !== 'settled') {
    // A ledger that was emptied has forgotten the claims of rows that were never sent.
    must(held === '' || held === `c ${owner} `, `${name} is ${row.kind}, and its key says "${held}"`);
    return;
  }
  const { outcome, id } = row.settlement;
  const letter = outcome === 'created' ? 'k' : outcome === 'in-doubt' ? 'd' : 'x';
  must(held === `${letter} ${owner} ${id}`, `${name} is ${outcome} "${id}", and its key says "${held}"`);
}

type Kept = ReturnType<typeof weaknesses> & { readonly name: string };

/**
 * What makes a row in doubt, never free, of a definite outcome when Redis goes back in time. Torn: an intent that was
 * withdrawn stands in a journal, and in the way of a refusal. Lost: so does one that was withdrawn and is there again.
 * Shared: two takes in one process write one journal, of which the last word counts.
 */
function weaknesses({ torn, losses, atWork }: State) {
  return { isTorn: torn, hasLost: losses > 0, isShared: atWork[0].disk === atWork[1].disk };
}

/** The first definite outcome stays, but for a person's 'not created' that the service contradicts. */
function expectKept(
  row: RowView,
  { recorded, withdrawals }: Facts,
  { isTorn, hasLost, isShared, name }: Kept,
): void {
  if (recorded === null) return;
  const now = outcomeOf(row);
  const was = recorded.outcome;
  if (recorded.decided && was === 'failed' && now === 'created') return;
  // A Redis of before may have a decision that was lost, and a refusal since says no more.
  const isDecided = row.kind === 'settled' && row.settlement.code === 'not_created';
  if (isDecided && was !== 'created' && hasLost) return;
  const isWeak = was === 'in-doubt' || (was !== 'created' && (isTorn || (hasLost && withdrawals > 0)));
  const isSame =
    isWeak || (hasLost && isShared)
      ? row.kind !== 'unsent'
      : row.kind === 'settled' && now === was && row.settlement.id === recorded.id;
  must(isSame, `${name} was ${was} ${recorded.id} and is ${now}`);
}

/** `send`: the last look before it holds the row back. */
const FREEING = new Set([
  'finish',
  'send',
  'stand-back',
  'crash-amid',
  'half',
  'back',
  'back-to-saved',
  'emptied',
  'copied',
]);

type Change = {
  readonly before: RowView | undefined;
  readonly event: Event;
  readonly isPaused: boolean;
  readonly name: string;
};

/** Only proof leads back to unsent; a Redis that forgets is looked at by what is true of the row. */
function expectNotFreed(row: RowView, { before, event, isPaused, name }: Change): void {
  if (row.kind !== 'unsent' || before === undefined || before.kind === 'unsent') return;
  // A grant whose reply was lost is asked for again, and taken back where the run has paused meanwhile.
  const isTakenBack = event.kind === 'intend' && isPaused;
  must(
    isTakenBack || FREEING.has(event.kind),
    `${name} was ${outcomeOf(before)}, and ${event.kind} made it unsent`,
  );
  const isSettled = before.kind === 'settled' && (event.kind === 'finish' || event.kind === 'stand-back');
  must(!isSettled, `${name} was settled, and ${event.kind} made it unsent`);
}

export function outcomeOf(row: RowView | undefined): string {
  if (row === undefined) return 'missing';
  return row.kind === 'settled' ? row.settlement.outcome : row.kind;
}

/** At the end each row has its outcome, and in doubt is only what something happened to. */
export function expectEnded({ state }: World): void {
  state.facts.forEach(({ mayDoubt }, i) => {
    const row = state.view?.rows[i];
    must(row?.kind === 'settled', `row ${i + 1} has no outcome at the end: ${outcomeOf(row)}`);
    must(outcomeOf(row) !== 'in-doubt' || mayDoubt, `row ${i + 1} is in doubt, and nothing happened to it`);
  });
}
