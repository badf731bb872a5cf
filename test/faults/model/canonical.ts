import { decodeLine, type SettleEntry } from '../../../src/journal/record.ts';
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

type Word = { entry: SettleEntry | null; readonly open: Set<string> };

/** Of each row its last entry, but no doubt over another, and the intents since. */
function folded(lines: readonly Line[]): string {
  const rows = new Map<number, Word>();
  const wordOn = (row: number): Word => {
    const word = rows.get(row) ?? { entry: null, open: new Set() };
    rows.set(row, word);
    return word;
  };
  const settle = (entry: SettleEntry) => {
    const word = wordOn(entry.row);
    word.open.clear();
    if (word.entry === null || entry.outcome !== 'in-doubt') word.entry = entry;
  };
  for (const { text } of lines) {
    const record = decodeLine(text.trimEnd());
    if (record?.kind === 'settled') record.entries.forEach(settle);
    if (record?.kind === 'intended') for (const { row, mark } of record.rows) wordOn(row).open.add(mark);
    if (record?.kind === 'withdrawn') for (const [, row, mark] of record.rows) wordOn(row).open.delete(mark);
  }
  const words = [...rows].filter(([, { entry, open }]) => entry !== null || open.size > 0);
  return JSON.stringify(words.map(([row, { entry, open }]) => [row, entry, [...open]]));
}

function renamed(text: string): string {
  const names = new Map<string, string>();
  return text.replaceAll(TAKER, (taker) => {
    const name = names.get(taker) ?? `T${names.size}`;
    names.set(taker, name);
    return name;
  });
}
