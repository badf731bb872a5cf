import { mergeGroup } from '../../src/mapping/group.ts';
import type { Mapping } from '../../src/model/mapping.ts';

/** A mapping made by hand; rows of one key are one record by their accounts, and nothing is required of it. */
export function sampleMapping(mapping: Omit<Mapping, 'mapGroup'>): Mapping {
  const { map } = mapping;
  return { ...mapping, mapGroup: (rows) => mergeGroup(rows, { map, list: 'accounts', lacking: () => [] }) };
}
