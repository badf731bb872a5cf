import { parseSettlement, unpackBlock } from '../../../src/ledger/mark.ts';
import { readFields } from '../../../src/ledger/open-chunk.ts';
import type { Settlement } from '../../../src/model/settlement.ts';
import { entryOf } from '../../support/ledger.ts';
import { rowKey } from './keyspace.ts';
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
};

/** Fields of the record that change; the rest is as the run was registered. */
const CHANGING = /^(o:|finishedAt$|state$|reason$|suspect$)/;

export async function look({ redis, keys, run, rows: count }: World): Promise<View> {
  const k = keys.run(run.id);
  const places = Array.from({ length: count }, (_, i) => entryOf(keys, rowKey(i + 1)));
  const [record, marks, block, late, doubts, sources, resolutions, ...held] = await Promise.all([
    redis.hgetall(k.record),
    redis.hgetall(`${k.chunk}1`),
    redis.hgetBuffer(k.blocks, '1'),
    redis.hgetall(k.late),
    redis.hgetall(k.doubts),
    redis.hkeys(k.sources),
    redis.hgetall(k.resolutions),
    ...places.map(({ bucket, field }) => redis.hget(bucket, field)),
  ]);
  const rows = rowsOf(count, block ?? null, { marks, late });
  const identities = held.map((entry, i) => (entry ?? '').replace(places[i]?.text ?? '', ''));
  const changing = Object.entries(record).filter(([name]) => CHANGING.test(name));
  const raw = [marks, rows, late, doubts, resolutions];
  return {
    record,
    rows,
    closed: (block ?? null) !== null,
    doubts: Object.keys(doubts)
      .map(Number)
      .toSorted((a, b) => a - b),
    identities,
    text: JSON.stringify([changing.toSorted(), raw.map(sorted), sources.toSorted(), identities]),
  };
}

type Texts = {
  readonly marks: Readonly<Record<string, string>>;
  readonly late: Readonly<Record<string, string>>;
};

function rowsOf(count: number, block: Buffer | null, { marks, late }: Texts): RowView[] {
  const numbers = Array.from({ length: count }, (_, i) => i + 1);
  const open = readFields(Object.entries(marks), numbers).marks;
  const closed = block === null ? [] : unpackBlock(block).settlements;
  const packed = new Map(closed.map((s) => [s.row, s]));
  return numbers.map((row) => {
    const inBlock = packed.get(row);
    if (inBlock !== undefined) return settled(late[row] === undefined ? inBlock : parseSettlement(late[row]));
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
