import type { Mapping } from '../../src/model/mapping.ts';
import { mergeGroup } from '../../src/readers/mapping/group.ts';

type Given = Omit<Mapping, 'mapGroup' | 'payeeOf' | 'groupOf' | 'keyForm' | 'fields' | 'notes'>;

/** A mapping made by hand; rows of one key are one record by their accounts, and nothing is required of it. */
export function sampleMapping(mapping: Given): Mapping {
  const { map, keyOf } = mapping;
  return {
    ...mapping,
    keyForm: 'loose',
    fields: [],
    notes: [],
    groupOf: keyOf,
    payeeOf: () => null,
    mapGroup: (rows) => mergeGroup(rows, { map, keyOf, list: 'accounts', lacking: () => [] }),
  };
}
