import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldCatalog } from '../../../src/delivery/service/operations.ts';
import { OPERATIONS, pathFieldOf } from '../../../src/operations/operations.ts';
import { proposeJob } from '../../../src/readers/mapping/proposal/propose-job.ts';
import { textOf } from '../../house/source-files.ts';
import { sourceOf } from './catalog.ts';

const CRM_ID = 'additionalInformation.crmId';

const [, ...PARTS] = textOf('test/readers/mapping/headers.txt').split(/^\[/m);
const HEADERS = PARTS.map((part) => {
  const [heading = '', ...lines] = part.trim().split('\n');
  const [operation, from = ''] = heading.split('] ');
  const columns = lines.map((line) => {
    const [column = '', fields = ''] = line.split(' = ');
    return { column, fields: fields === '-' ? [] : fields.split(' or ') };
  });
  return { operation: z.enum(OPERATIONS).parse(operation), from, columns };
});
type Header = (typeof HEADERS)[number];

/** What is proposed for a column: the field, `key` where it is the rows' own key, or `null`. */
function proposed({ operation, columns }: Header): (column: string) => string | null {
  const proposal = proposeJob({
    operation,
    catalog: fieldCatalog(operation),
    pathField: pathFieldOf(operation),
    source: sourceOf(
      'csv',
      columns.map(({ column }) => column),
    ),
    rows: [],
  });
  return (column) => {
    const line = proposal.fields.find((field) => field.column === column)?.field;
    const field = line ?? (proposal.itself.includes(column) ? column : null);
    return proposal.key?.column === column && (field ?? CRM_ID) === CRM_ID ? 'key' : field;
  };
}

test('there are 23 headers of files, three of what people call fields, and ten of either', () => {
  expect(HEADERS).toHaveLength(36);
});

test.each(HEADERS.map((header, i) => [i + 1, header.from, header] as const))(
  'each column of header %i (%s) is proposed for what it means, or left open',
  (_, __, header) => {
    const fieldOf = proposed(header);
    const wrong = header.columns
      .map(({ column, fields }) => ({ column, fields, proposed: fieldOf(column) }))
      .filter(({ fields, proposed }) => (proposed === null ? fields.length > 0 : !fields.includes(proposed)));
    expect(wrong).toEqual([]);
  },
);
