import { createFold } from '../../../src/journal/row-fold.ts';
import { recordOf } from './journal-replay.ts';
import { type AtWork, type Disk, type Line, processOf, type State } from './state.ts';

/** Of takes, and of the processes that they are in. */
const NAME = /\b[pt]\d+\b/g;

/**
 * The state as a text that is the same for states that can't be told apart: takes and processes by the order in which they
 * appear, a journal by what it comes down to, the two slots in either order. So too the journals that were left: a search has
 * two of them only where none is ever read.
 */
export function canonicalText(state: State): string {
  const { disks, facts, losses, crashes, decisions, halves, pauses, torn, saved, view } = state;
  const [first, second] = state.atWork.map((atWork) => textOf(atWork, disks));
  const left = disks.filter(({ fate }) => fate === 'left').map(({ lines }) => folded(lines));
  const lost = disks.some(({ fate }) => fate === 'lost');
  const known = facts.map((one) => ({ ...one, withdrawals: one.withdrawals > 0 }));
  const counts = [losses, crashes, decisions, halves, pauses, torn, saved?.text ?? ''];
  const read = left.filter((text) => text !== NOTHING).toSorted(byAllButNames);
  const rest = JSON.stringify([read, lost, known, counts]);
  const straight = renamed(`${view?.text}${first}${second}${rest}`);
  const crossed = renamed(`${view?.text}${second}${first}${rest}`);
  return straight < crossed ? straight : crossed;
}

function textOf({ disk, hand }: AtWork, disks: readonly Disk[]): string {
  const used = disks[disk];
  return JSON.stringify([processOf(disk), hand, used === undefined ? null : foldedInUse(used)]);
}

/** Also what is left of it where its end is torn off. */
function foldedInUse({ lines }: Disk): readonly [string, string] {
  const kept = lines.findLastIndex(({ kind }) => kind === 'written') + 1;
  return [folded(lines), folded(lines.slice(0, kept))];
}

const NOTHING = folded([]);

function folded(lines: readonly Line[]): string {
  const into = createFold(() => true);
  for (const line of lines) {
    const record = recordOf(line);
    if (record !== null) into.take(record);
  }
  return JSON.stringify([...into.rows].map(([row, { entry, open }]) => [row, entry, [...open.keys()]]));
}

function byAllButNames(one: string, other: string): number {
  return one.replaceAll(NAME, '') < other.replaceAll(NAME, '') ? -1 : 1;
}

function renamed(text: string): string {
  const names = new Map<string, string>();
  return text.replaceAll(NAME, (before) => {
    const name = names.get(before) ?? `N${names.size}`;
    names.set(before, name);
    return name;
  });
}
