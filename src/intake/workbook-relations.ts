import { posix } from 'node:path';
import { readXmlDocument } from './workbook-xml.ts';
import type { Zip } from './workbook-zip.ts';

/** What one part of a workbook points at. */
export type Relation = { readonly id: string; readonly kind: string; readonly part: string };

/** The relations of a part, `''` for the workbook file itself; `kind` is the type's last segment, alike in both editions of the format. */
export async function readRelations(zip: Zip, part: string): Promise<readonly Relation[]> {
  const folder = posix.dirname(part);
  const name = posix.join(folder, '_rels', `${posix.basename(part)}.rels`);
  const relations: Relation[] = [];
  if (!zip.has(name)) return relations;
  await readXmlDocument(zip.read(name), {
    open(element, attributes) {
      const target = attributes.get('Target');
      if (element !== 'Relationship' || target === undefined) return;
      if (attributes.get('TargetMode') === 'External') return;
      relations.push({
        id: attributes.get('Id') ?? '',
        kind: (attributes.get('Type') ?? '').split('/').at(-1) ?? '',
        part: target.startsWith('/') ? target.slice(1) : posix.join(folder, target),
      });
    },
    text() {},
    close() {},
  });
  return relations;
}
