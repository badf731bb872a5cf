/**
 * What was made, updated and listed: the truth that tests compare reports with, in memory, and in
 * a data file where there is one.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync, closeSync, createReadStream, fstatSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { orElse } from '../lib/errors.ts';
import { createRecentMap, type RecentMap } from '../lib/recent.ts';
import { UsageError } from '../lib/usage-error.ts';

export const ENTITY_KINDS = ['subclient', 'draft'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

export type Records = {
  readonly entities: Readonly<Record<EntityKind, EntityList>>;
  /** As JSON text, of the most recent subclients only. */
  readonly bodies: RecentMap<string, string>;
  readonly dataFile: DataFile;
  updated: number;
  listed: number;
};

const BODIES_KEPT = 50_000;

export async function openRecords(dataFile: string | null): Promise<Records> {
  const records = {
    entities: { subclient: createEntityList(), draft: createEntityList() },
    bodies: createRecentMap<string, string>(BODIES_KEPT),
    updated: 0,
    listed: 0,
  };
  if (dataFile === null) return { ...records, dataFile: NO_DATA_FILE };
  const file = await openDataFile(dataFile, (line) => restoreLine(records, line));
  return { ...records, dataFile: file };
}

function restoreLine(records: Omit<Records, 'dataFile'>, line: DataLine): void {
  switch (line.kind) {
    case 'subclient':
      records.entities.subclient.add(line.key, line.id);
      records.bodies.set(line.id, JSON.stringify(line.body));
      return;
    case 'draft':
      records.entities.draft.add(line.key, line.id);
      return;
    case 'update':
      records.bodies.set(line.id, JSON.stringify(line.body));
      records.updated += 1;
      return;
    default:
      line satisfies never;
  }
}

export type Entity = {
  /** From 0, in the order in which they were made. */
  readonly number: number;
  readonly id: string;
  /** `null` where the request had no key. */
  readonly key: string | null;
};

type Duplicate = {
  readonly key: string;
  readonly count: number;
  /** Of the first entities. */
  readonly ids: readonly string[];
};

const IDS_NAMED = 20;

type EntityList = {
  /** `id`: of an earlier life; without it a new one. */
  add(key: string | null, id?: string): Entity;
  find(id: string): Entity | null;
  count(): number;
  /** The entities from a number on. */
  from(number: number): readonly Entity[];
  duplicateKeys(): number;
  /** The first `limit` of the keys with more than one entity. */
  duplicates(limit: number): Duplicate[];
};

function createEntityList(): EntityList {
  const entities: Entity[] = [];
  const byId = new Map<string, Entity>();
  const firstOfKey = new Map<string, Entity>();
  const repeated = new Map<string, Entity[]>();
  const index = (key: string, entity: Entity) => {
    const first = firstOfKey.get(key);
    if (first === undefined) firstOfKey.set(key, entity);
    else repeated.set(key, [...(repeated.get(key) ?? [first]), entity]);
  };
  return {
    add(key, id = randomUUID()) {
      const entity = { number: entities.length, id, key };
      entities.push(entity);
      byId.set(id, entity);
      if (key !== null) index(key, entity);
      return entity;
    },
    find: (id) => byId.get(id) ?? null,
    count: () => entities.length,
    from: (number) => entities.slice(number),
    duplicateKeys: () => repeated.size,
    duplicates: (limit) =>
      [...repeated]
        .slice(0, limit)
        .map(([key, of]) => ({ key, count: of.length, ids: of.slice(0, IDS_NAMED).map(({ id }) => id) })),
  };
}

const dataLineSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('subclient'),
    id: z.string(),
    key: z.string().nullable(),
    body: z.record(z.string(), z.unknown()),
  }),
  // A draft's body holds a person's bank details, and nothing ever asks for it again.
  z.object({ kind: z.literal('draft'), id: z.string(), key: z.string().nullable() }),
  z.object({ kind: z.literal('update'), id: z.string(), body: z.record(z.string(), z.unknown()) }),
]);
type DataLine = z.infer<typeof dataLineSchema>;

/** NDJSON, which a later sandbox reads again. */
type DataFile = {
  /** Before it returns, without an fsync: what was answered survives the process. */
  append(line: DataLine): void;
  close(): void;
};

const NO_DATA_FILE: DataFile = { append: () => {}, close: () => {} };

/** A line torn by the death of its writer is dropped. */
async function openDataFile(path: string, restore: (line: DataLine) => void): Promise<DataFile> {
  const fd = openForAppend(path);
  for await (const text of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const line = parseLine(text);
    if (line !== null) restore(line);
  }
  // Ends a torn last line, so that the next line is whole; empty lines are passed over.
  if (fstatSync(fd).size > 0) appendFileSync(fd, '\n');
  return {
    append: (line) => appendFileSync(fd, `${JSON.stringify(line)}\n`),
    close: () => closeSync(fd),
  };
}

function parseLine(text: string): DataLine | null {
  return orElse(null, () => dataLineSchema.parse(JSON.parse(text)));
}

function openForAppend(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    throw new UsageError(
      `The sandbox's data file ${path} can't be opened; expected one in a folder that may be written.`,
      {
        cause: error,
      },
    );
  }
}

/** So many subclients and payments exist from the start. */
const SEEDED = 300;

/** In an identifier such as sub-0001 or pay-0300. */
export function seededNumber(kind: 'sub' | 'pay', id: string): number | null {
  if (!id.startsWith(`${kind}-`)) return null;
  const digits = id.slice(4);
  const number = /^\d{4}$/.test(digits) ? Number(digits) : 0;
  return number >= 1 && number <= SEEDED ? number : null;
}

export function seededId(kind: 'sub' | 'pay', number: number): string {
  return `${kind}-${String(number).padStart(4, '0')}`;
}
