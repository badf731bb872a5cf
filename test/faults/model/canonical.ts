import type { SettleEntry } from '../../../src/engine/recovery/journal/record.ts';
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
  const { disks, facts, losses, copies, crashes, decisions, halves, pauses, torn, saved, view } = state;
  const [first, second] = state.atWork.map((atWork) => textOf(atWork, disks));
  const left = disks.filter(({ fate }) => fate === 'left').map(({ lines }) => folded(lines));
  const lost = disks.some(({ fate }) => fate === 'lost');
  const known = facts.map((one) => ({ ...one, withdrawals: one.withdrawals > 0 }));
  const counts = [
    losses,
    copies,
    crashes,
    decisions,
    halves,
    pauses,
    torn,
    state.forgotten,
    saved?.text ?? '',
  ];
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
  for (const line of lines) {
    const record = recordOf(line);
    if (record?.kind === 'settled') record.entries.forEach(settle);
    if (record?.kind === 'intended') for (const { row, mark } of record.rows) wordOn(row).open.add(mark);
    if (record?.kind === 'withdrawn') for (const [, row, mark] of record.rows) wordOn(row).open.delete(mark);
  }
  const words = [...rows].filter(([, { entry, open }]) => entry !== null || open.size > 0);
  return JSON.stringify(words.map(([row, { entry, open }]) => [row, entry, [...open]]));
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
