import { expect, test } from 'vitest';
import { proposeJob } from '../../src/mapping/proposal/propose-job.ts';
import { fieldCatalog, pathFieldOf } from '../../src/service/operations.ts';
import { sourceOf } from './catalog.ts';
import { type Case, columnsOf, HEADERS, UNSEEN } from './headers.ts';

type Judged = {
  readonly column: string;
  readonly fields: readonly string[];
  readonly proposed: string | null;
  readonly isDoubted: boolean;
};

const CRM_ID = 'additionalInformation.crmId';

function judge(header: Case): readonly Judged[] {
  const { operation } = header;
  const columns = columnsOf(header);
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
  return columns.map(({ column, fields }) => {
    const line = proposal.fields.find((field) => field.column === column);
    const isItself = proposal.itself.includes(column);
    const field = line?.field ?? (isItself ? column : null);
    const isKey = proposal.key?.column === column && (field ?? CRM_ID) === CRM_ID;
    const proposed = isKey ? 'key' : field;
    return { column, fields, proposed, isDoubted: (line?.notes.length ?? 0) > 0 };
  });
}

type Share = { readonly right: number; readonly wrong: readonly Judged[] };

/** The share of the columns that have a field and are proposed for it; and those that are proposed wrongly without a mark of doubt. */
function shareOf(headers: readonly Case[]): Share {
  const judged = headers.flatMap(judge);
  const wanted = judged.filter(({ fields }) => fields.length > 0);
  const isRight = ({ fields, proposed }: Judged) => proposed !== null && fields.includes(proposed);
  return {
    right: wanted.filter(isRight).length / wanted.length,
    wrong: judged.filter((one) => one.proposed !== null && !isRight(one) && !one.isDoubted),
  };
}

test.each(Object.entries(HEADERS))(
  'of ten %s headers four columns in five are proposed rightly, and none wrongly without a mark of doubt',
  (_, headers) => {
    expect(headers).toHaveLength(10);
    const { right, wrong } = shareOf(headers);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(0.8);
  },
);

test.each(Object.entries(UNSEEN))(
  'of %s headers that nobody looked at when the names were written, three columns in five are',
  (_, headers) => {
    const { right, wrong } = shareOf(headers);
    expect(wrong).toEqual([]);
    expect(right).toBeGreaterThanOrEqual(0.6);
  },
);
