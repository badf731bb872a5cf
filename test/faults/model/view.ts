import { type PackedChunk, unpackChunk } from '../../../src/engine/ledger/block.ts';
import { type Mark, parseSettlement } from '../../../src/engine/ledger/mark.ts';
import { CLEAR } from '../../../src/lib/seal.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { entryOf } from '../../support/stored.ts';
import { rowKey, type Snapshot } from './keyspace.ts';
import type { World } from './world.ts';

export type RowView =
  | { readonly kind: 'unsent' }
  | { readonly kind: 'intent'; readonly mark: string }
  | { readonly kind: 'settled'; readonly settlement: Settlement };

/** What the ledger says, decoded. */
export type View = {
  readonly record: Readonly<Record<string, string>>;
  /** In row order. */
  readonly rows: readonly RowView[];
  readonly closed: boolean;
  readonly doubts: readonly number[];
  /** Identity entries in row order, `''` for none. */
  readonly identities: readonly string[];
  /** The whole, to tell states apart. */
  readonly text: string;
  readonly snapshot: Snapshot;
};

/** Fields of the record that change; the rest is as the run was registered. */
const CHANGING = /^(o:|finishedAt$|state$|reason$|suspect$)/;

export async function look({ keys, run, rows: count, keyspace }: World): Promise<View> {
  const k = keys.run(run.id);
  const { snapshot, hashes, marks: own } = await keyspace.dump();
  const fieldsOf = (name: string) => textsOf(hashes.get(name));
  const record = fieldsOf(k.record);
  const [marks, late, doubts] = [fieldsOf(`${k.chunk}1`), fieldsOf(k.late), fieldsOf(k.doubts)];
  const [, block = null] = hashes.get(k.blocks) ?? [];
  const [, open = null] = hashes.get(k.openRows) ?? [];
  const closed = block === null ? null : { block, open };
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const rows = rowsOf(numbers, closed, { open: own, late });
  const identities = rows.map((_, i) => {
    const { bucket, field, text } = entryOf(keys, rowKey(i + 1));
    return (fieldsOf(bucket)[field] ?? '').replace(text, '');
  });
  const changing = Object.entries(record).filter(([name]) => CHANGING.test(name));
  const raw = [marks, rows, late, doubts, fieldsOf(k.resolutions)];
  const sources = Object.keys(fieldsOf(k.sources));
  return {
    snapshot,
    record,
    rows,
    closed: closed !== null,
    doubts: Object.keys(doubts)
      .map(Number)
      .toSorted((a, b) => a - b),
    identities,
    text: JSON.stringify([changing.toSorted(), raw.map(sorted), sources.toSorted(), identities]),
  };
}

/** Fields and values by turns. */
function textsOf(fields: readonly Buffer[] = []): Record<string, string> {
  const texts: Record<string, string> = {};
  for (let i = 0; i + 1 < fields.length; i += 2) texts[String(fields[i])] = String(fields[i + 1]);
  return texts;
}

type Stored = {
  readonly open: ReadonlyMap<number, Mark>;
  readonly late: Readonly<Record<string, string>>;
};

function rowsOf(numbers: readonly number[], closed: PackedChunk | null, { open, late }: Stored): RowView[] {
  const settlements = closed === null ? [] : unpackChunk(closed, CLEAR).settlements;
  const packed = new Map(settlements.map((s) => [s.row, s]));
  return numbers.map((row) => {
    const inBlock = packed.get(row);
    if (inBlock !== undefined)
      return settled(late[row] === undefined ? inBlock : parseSettlement(late[row], CLEAR));
    const mark = open.get(row);
    if (mark === undefined) return { kind: 'unsent' };
    return mark.kind === 'intent' ? { kind: 'intent', mark: mark.text } : settled(mark.settlement);
  });
}

function settled(settlement: Settlement): RowView {
  return { kind: 'settled', settlement };
}

/** Redis gives a hash's fields in the order in which they came. */
function sorted(value: object): unknown {
  return Array.isArray(value) ? value : Object.entries(value).toSorted();
}
