import { decodeLine } from '../../../src/journal/record.ts';
import { createFold } from '../../../src/journal/row-fold.ts';
import type { Disk, Line, State } from './state.ts';

const TAKER = /\bt\d+\b/g;

/**
 * The state as a text that is the same for states that can't be told apart: takers by the order in which they appear, a
 * journal by what it comes down to, the two slots in either order.
 */
export function canonicalText(state: State): string {
  const [first, second] = state.atWork;
  const straight = renamed(textOf(state, [first, second]));
  const crossed = renamed(textOf(state, [second, first]));
  return straight < crossed ? straight : crossed;
}

function textOf(
  state: State,
  atWork: State['atWork'] | readonly [State['atWork'][1], State['atWork'][0]],
): string {
  const { disks, facts, losses, crashes, decisions, halves, pauses, torn, saved, view } = state;
  const hands = atWork.map(({ disk, hand }) => {
    const used = disks[disk];
    return [hand, used === undefined ? null : foldedInUse(used)];
  });
  const left = disks.filter(({ fate }) => fate === 'left').map(({ lines }) => folded(lines));
  const lost = disks.some(({ fate }) => fate === 'lost');
  const known = facts.map((one) => ({ ...one, withdrawals: one.withdrawals > 0 }));
  const rest = [known, losses, crashes, decisions, halves, pauses, torn, saved?.text ?? ''];
  return JSON.stringify([view?.text, hands, left.filter((text) => text !== NOTHING), lost, ...rest]);
}

/** Also what is left of it where its end is torn off. */
function foldedInUse({ lines }: Disk): readonly [string, string] {
  const kept = lines.findLastIndex(({ kind }) => kind === 'written') + 1;
  return [folded(lines), folded(lines.slice(0, kept))];
}

const NOTHING = folded([]);

function folded(lines: readonly Line[]): string {
  const into = createFold(() => true);
  for (const { text } of lines) {
    const record = decodeLine(text.trimEnd());
    if (record !== null) into.take(record);
  }
  return JSON.stringify([...into.rows].map(([row, { entry, open }]) => [row, entry, [...open.keys()]]));
}

function renamed(text: string): string {
  const names = new Map<string, string>();
  return text.replaceAll(TAKER, (taker) => {
    const name = names.get(taker) ?? `T${names.size}`;
    names.set(taker, name);
    return name;
  });
}
