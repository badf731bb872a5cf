import type { JobDefinition } from '../config/job-definition.ts';
import { createDigestTable } from '../lib/digest.ts';
import { besideKeyless, mergeGroup } from '../mapping/group.ts';
import type { Mapped, Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import { createGroupGatherer, keylessBeside } from '../model/row-group.ts';

/** Rows that are one request, and what they map to; but for a job with a `group` one row. */
export type Unit = {
  readonly rows: readonly Row[];
  readonly first: Row;
  /** The row's own key, `null` where it has none. */
  readonly key: string | null;
  readonly mapped: Mapped;
};

/** Cuts rows in file order into units; the last one comes out at the end. */
type UnitReader = {
  take(rows: readonly Row[]): readonly Unit[];
  end(): readonly Unit[];
};

type Reader = {
  readonly mapping: Mapping;
  readonly definition: Pick<JobDefinition, 'key' | 'group'>;
  readonly seen: SeenKeys;
};

export function createUnitReader(reader: Reader): UnitReader {
  const { mapping, definition } = reader;
  if (definition.group === undefined) {
    return { take: (rows) => rows.map((row) => unitOf([row], row, reader)), end: () => [] };
  }
  const gatherer = createGroupGatherer(mapping.keyOf);
  let before: Row | undefined;
  const toUnits = (group: readonly Row[] | null, after: Row | undefined) => {
    const [first] = group ?? [];
    if (group === null || first === undefined) return [];
    const keyless = keylessBeside(group, { before, after }, mapping.keyOf);
    before = group.at(-1);
    return [unitOf(group, first, { ...reader, keyless })];
  };
  return {
    take: (rows) => rows.flatMap((row) => toUnits(gatherer.take(row), row)),
    end: () => toUnits(gatherer.end(), undefined),
  };
}

const EXPECTED_KEY = {
  row: 'a key that no other row has',
  group: 'a key that no other row has, or rows of one key that follow each other',
} as const;

/** As a run does it: rows whose key came before are duplicates whatever else is wrong with them. */
function unitOf(
  rows: readonly Row[],
  first: Row,
  { mapping, definition, seen, keyless = null }: Reader & { readonly keyless?: number | null },
): Unit {
  const key = mapping.hasKey ? mapping.keyOf(first) : null;
  const earlier = key === null ? null : seen.add(key, first.row);
  if (earlier !== null) {
    const column = definition.key ?? null;
    const expected = `${EXPECTED_KEY[definition.group === undefined ? 'row' : 'group']}; row ${earlier} has it`;
    const issues = rows.map(({ row, line }) => ({
      row,
      line,
      column,
      value: key,
      expected,
      code: 'duplicate_key' as const,
    }));
    return { rows, first, key, mapped: { kind: 'issues', issues } };
  }
  const mapped = mapUnit(rows, first, { mapping, definition, keyless });
  if (key !== null && mapped.kind === 'issues') seen.spoil(key);
  return { rows, first, key, mapped };
}

function mapUnit(
  rows: readonly Row[],
  first: Row,
  {
    mapping,
    definition,
    keyless,
  }: Pick<Reader, 'mapping' | 'definition'> & { readonly keyless: number | null },
): Mapped {
  if (definition.group === undefined) return mapping.map(first);
  const merged =
    keyless === null ? mergeGroup(rows, mapping.map, definition.group) : besideKeyless(rows, keyless);
  return merged.kind === 'issues'
    ? { kind: 'issues', issues: [...merged.issues.values()].flat() }
    : { ...merged, warnings: [...merged.warnings.values()].flat() };
}

/** The keys of a file so far, as digests, so that a million of them take little room. */
export type SeenKeys = {
  /** Answers the earlier row that has the key; `null`: it is this row's. */
  add(key: string, row: number): number | null;
  /** The row that has the key would not be sent. */
  spoil(key: string): void;
  /** The row under which the file would create the key, `null` where none has come yet. */
  creatorOf(key: string): number | null;
};

export function createSeenKeys(): SeenKeys {
  // Below 0: a row that would not be sent.
  const rows = createDigestTable();
  return {
    add(key, row) {
      const earlier = rows.setFirst(key, row);
      return earlier === undefined ? null : Math.abs(earlier);
    },
    spoil(key) {
      const row = rows.get(key);
      if (row !== undefined) rows.set(key, -Math.abs(row));
    },
    creatorOf(key) {
      const row = rows.get(key) ?? -1;
      return row > 0 ? row : null;
    },
  };
}
