import { Command, type Redis } from 'ioredis';
import { z } from 'zod';
import { identityPlace, type LedgerKeys } from '../../../src/engine/ledger/keys.ts';
import CHUNK_MARKS from '../../../src/engine/ledger/lua/parts/chunk-marks.lua';
import type { Mark } from '../../../src/engine/ledger/mark.ts';
import { marksIn } from '../../../src/engine/ledger/open-chunk.ts';
import { filled } from '../../../src/engine/ledger/protocol.ts';
import { CLEAR } from '../../../src/lib/seal.ts';

/** Every key of a ledger with one run, in the order of `names`; `null`: not there. */
export type Snapshot = ReadonlyArray<Buffer | null>;

/** A ledger's keys, to be written down, put back and removed as a whole. */
export type Keyspace = {
  dump(): Promise<Dump>;
  restore(snapshot: Snapshot): Promise<void>;
  empty(): Promise<void>;
};

/** `hashes`: what those of them are that are hashes, by name: fields and values by turns. `marks`: of the open chunk's rows. */
export type Dump = {
  readonly snapshot: Snapshot;
  readonly hashes: ReadonlyMap<string, readonly Buffer[]>;
  readonly marks: ReadonlyMap<number, Mark>;
};

/** The open chunk, and its rows' numbers. */
type Chunk = { readonly name: string; readonly rows: readonly number[] };

/** The key that a row's key is known by. */
export function rowKey(row: number): string {
  return `K${row}`;
}

// One command each: one for every key takes several times as long as all that the model does besides.
// And in one step: workers beat, and may put back what a late one did, whenever somebody looks.
const DUMP = `local call = redis.call
${filled(CHUNK_MARKS)}
local chunk, rows = ARGV[1], cjson.decode(ARGV[2])
local out = {}
for i, name in ipairs(KEYS) do
  local isHash = redis.call('TYPE', name).ok == 'hash'
  out[i] = {redis.call('DUMP', name), isHash and redis.call('HGETALL', name) or {}}
end
return {out, {chunkMarks(chunk, rows)}}`;
const RESTORE = `
for i, name in ipairs(KEYS) do
  if ARGV[i] == '' then redis.call('DEL', name)
  else redis.call('RESTORE', name, 0, ARGV[i], 'REPLACE') end
end`;

const bytes = z.instanceof(Buffer);
const text = bytes.transform(String);
const dumpSchema = z.tuple([
  z.array(z.tuple([bytes.nullable(), z.array(bytes)])),
  z.tuple([text, text, z.array(text), z.array(text)]),
]);

export function createKeyspace(redis: Redis, names: readonly string[], { name, rows }: Chunk): Keyspace {
  const evaluate = (text: string, values: ReadonlyArray<string | Buffer>): Promise<unknown> => {
    const command = new Command('eval', [text, names.length, ...names, ...values]);
    redis.sendCommand(command);
    return command.promise;
  };
  return {
    async dump() {
      const [found, open] = dumpSchema.parse(await evaluate(DUMP, [name, JSON.stringify(rows)]));
      return {
        snapshot: found.map(([value]) => value),
        hashes: new Map(found.map(([, fields], i) => [names[i] ?? '', fields])),
        marks: marksIn(open, CLEAR),
      };
    },
    async restore(snapshot) {
      const values = snapshot.map((value) => value ?? '');
      await evaluate(RESTORE, values);
    },
    async empty() {
      await redis.del([...names]);
    },
  };
}

/** All that one run of so many rows has in Redis; with the epoch, where it goes back in time as well. */
export function ledgerNames(
  keys: LedgerKeys,
  run: string,
  { rows, epoch }: { readonly rows: number; readonly epoch: boolean },
): string[] {
  const k = keys.run(run);
  const buckets = Array.from(
    { length: rows },
    (_, i) => identityPlace(keys, { space: 'subclient', key: rowKey(i + 1) }).bucket,
  );
  const hashes = [k.record, `${k.chunk}1`, k.blocks, k.openRows, k.late, k.doubts];
  const shared = [keys.runs, keys.files, keys.breaker, ...buckets];
  const ofRows = [k.sources, k.bodies, k.documents, k.resolutions];
  return [...new Set([...hashes, ...ofRows, ...shared, ...(epoch ? [keys.epoch, keys.left] : [])])];
}
