import { expect, test } from 'vitest';
import { proposeJob } from '../../src/mapping/proposal/propose-job.ts';
import { fieldCatalog, pathFieldOf } from '../../src/service/operations.ts';
import { sourceOf } from './catalog.ts';
import { columnsOf, HEADERS, type Header } from './headers.ts';

const CRM_ID = 'additionalInformation.crmId';

/** What is proposed for a column: the field, `key` where it is the rows' own key, or `null`. */
function proposed(header: Header): (column: string) => string | null {
  const { operation } = header;
  const columns = columnsOf(header).map(({ column }) => column);
  const proposal = proposeJob({
    operation,
    catalog: fieldCatalog(operation),
    pathField: pathFieldOf(operation),
    source: sourceOf('csv', columns),
    rows: [],
  });
  return (column) => {
    const line = proposal.fields.find((field) => field.column === column)?.field;
    const field = line ?? (proposal.itself.includes(column) ? column : null);
    return proposal.key?.column === column && (field ?? CRM_ID) === CRM_ID ? 'key' : field;
  };
}

test('there are 23 headers of files', () => {
  expect(HEADERS).toHaveLength(23);
});

test.each(HEADERS.map((header, i) => [i + 1, header.from, header] as const))(
  'each column of header %i (%s) is proposed for what it means, or left open',
  (_, __, header) => {
    const fieldOf = proposed(header);
    const wrong = columnsOf(header)
      .map(({ column, fields }) => ({ column, fields, proposed: fieldOf(column) }))
      .filter(({ fields, proposed }) => (proposed === null ? fields.length > 0 : !fields.includes(proposed)));
    expect(wrong).toEqual([]);
  },
);
