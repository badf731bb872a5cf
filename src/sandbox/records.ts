import type { BodyMemory } from './body-memory.ts';
import { createBodyMemory } from './body-memory.ts';
import type { DataFile, DataLine } from './data-file.ts';
import { NO_DATA_FILE, openDataFile } from './data-file.ts';
import type { EntityList } from './entity-list.ts';
import { createEntityList } from './entity-list.ts';

/** What an entity list holds; a key is unique within its kind. */
export const ENTITY_KINDS = ['subclient', 'draft'] as const;
export type EntityKind = (typeof ENTITY_KINDS)[number];

/** Everything that has been done, the truth that tests compare reports with. */
export type Records = {
  readonly entities: Readonly<Record<EntityKind, EntityList>>;
  readonly bodies: BodyMemory;
  readonly dataFile: DataFile;
  /** Lines of the data file that could not be read at the start. */
  readonly droppedLines: number;
  updated: number;
  listed: number;
};

/** Opens the records, those of an earlier life included where there is a data file; throws its UsageError. */
export async function openRecords(dataFile: string | null, bodyLimit: number): Promise<Records> {
  const records = {
    entities: { subclient: createEntityList(), draft: createEntityList() },
    bodies: createBodyMemory(bodyLimit),
    updated: 0,
    listed: 0,
  };
  if (dataFile === null) return { ...records, dataFile: NO_DATA_FILE, droppedLines: 0 };
  const { file, droppedLines } = await openDataFile(dataFile, (line) => restoreLine(records, line));
  return { ...records, dataFile: file, droppedLines };
}

function restoreLine(records: Omit<Records, 'dataFile' | 'droppedLines'>, line: DataLine): void {
  switch (line.kind) {
    case 'subclient':
      records.entities.subclient.restore(line.id, line.key);
      records.bodies.set(line.id, JSON.stringify(line.body));
      return;
    case 'draft':
      records.entities.draft.restore(line.id, line.key);
      return;
    case 'update':
      records.bodies.set(line.id, JSON.stringify(line.body));
      records.updated += 1;
      return;
    default:
      line satisfies never;
  }
}
