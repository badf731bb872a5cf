import { groupAdjacent } from '../lib/batches.ts';
import { type SharedMark, sharedMark } from './mark.ts';
import type { SettleEntry } from './settle-entry.ts';

/** ARGV of the script SETTLE from its second on, and the entries in the order in which it counts them. */
export function settleArguments(entries: readonly SettleEntry[]): {
  readonly args: readonly (string | number)[];
  readonly order: readonly SettleEntry[];
} {
  const plain: MarkedEntry[] = [];
  const others: SettleEntry[] = [];
  for (const entry of entries) {
    if (isPlain(entry)) plain.push({ entry, shared: sharedMark(entry[MARK], entry[ROW]) });
    else others.push(entry);
  }
  const args: (string | number)[] = [JSON.stringify(others)];
  for (const group of groupAdjacent(plain, areOfOneTake)) {
    const { entry: first, shared } = group[0];
    args.push(first[CHUNK], shared.text, shared.isNumbered, first[OUTCOME], group.length);
    for (const { entry } of group)
      args.push(entry[ROW], entry[SETTLEMENT], entry[BUCKET], entry[DIGEST], entry[ID]);
  }
  return { args, order: [...plain.map(({ entry }) => entry), ...others] };
}

type MarkedEntry = { readonly entry: SettleEntry; readonly shared: SharedMark };

// By index: to take a row's entry apart by a pattern costs several times as much.
const CHUNK = 0;
const ROW = 1;
const OUTCOME = 2;
const SETTLEMENT = 3;
const BUCKET = 4;
const DIGEST = 5;
const BECOMES = 6;
const ID = 7;
const SOURCE = 8;
const BODY = 9;
const DOCUMENTS = 10;
const MARK = 11;
const ACCEPTED = 12;
const ANSWERED = 13;
const LEAD = 14;
const LENGTH_WITHOUT_FIELDS = 15;

/** Whether the service accepted the row under an intent, and nothing is kept of it but its settlement and its key's identity. */
function isPlain(entry: SettleEntry): boolean {
  if (entry[MARK] === '' || entry[ACCEPTED] !== 1 || entry[ANSWERED] !== 1) return false;
  if (entry[BUCKET] !== '' && entry[BECOMES] !== 'k') return false;
  const isAlone = entry[LEAD] === 0 && entry.length === LENGTH_WITHOUT_FIELDS;
  return isAlone && entry[SOURCE] === '' && entry[BODY] === '' && entry[DOCUMENTS] === '';
}

function areOfOneTake({ entry: a, shared: x }: MarkedEntry, { entry: b, shared: y }: MarkedEntry): boolean {
  const isOneMark = x.text === y.text && x.isNumbered === y.isNumbered;
  return isOneMark && a[CHUNK] === b[CHUNK] && a[OUTCOME] === b[OUTCOME];
}
