import type { Mapped } from '../model/mapping.ts';
import { IDENTITY } from '../model/operation.ts';
import type { Row } from '../model/row.ts';
import { isTable, REPORT_COLUMN_PREFIX, REPORT_MEMBER } from '../model/source.ts';
import { isJsonObject } from './json-member.ts';
import type { MappingOptions } from './mapping-options.ts';
import { parseRecord } from './parse-record.ts';

const IN_DOUBT = 'in-doubt';
const OUTCOME_COLUMN = `${REPORT_COLUMN_PREFIX}outcome`;
const CODE_COLUMN = `${REPORT_COLUMN_PREFIX}code`;
/** What a row in doubt ends with where its report file was loaded: the next report says so, too. */
const CODE = 'row_in_doubt';
const EXPECTED =
  'a row whose outcome is known: this one may have been created already, so it is not sent again';

/**
 * Whether a report file says of the row that nobody knows whether it was created. Such a row is not sent:
 * without a key its identity is its place in the first file, which the report file no longer tells.
 */
export function compileIsInDoubt({ definition, source }: MappingOptions): (row: Row) => boolean {
  if (IDENTITY[definition.operation] === null) return () => false;
  if (!isTable(source)) return (row) => row.kind === 'record' && saysInDoubt(row.text);
  const outcome = source.columns.indexOf(OUTCOME_COLUMN);
  const code = source.columns.indexOf(CODE_COLUMN);
  if (outcome === -1) return () => false;
  return (row) => row.kind === 'cells' && (row.cells[outcome] === IN_DOUBT || row.cells[code] === CODE);
}

/** The issue of a row in doubt. */
export function rowInDoubt({ row, line }: Row): Mapped {
  const issue = { row, line, column: null, value: null, expected: EXPECTED, code: CODE } as const;
  return { kind: 'issues', issues: [issue] };
}

function saysInDoubt(text: string): boolean {
  if (!text.includes(REPORT_MEMBER)) return false;
  const mark = parseRecord(text)?.[REPORT_MEMBER];
  return isJsonObject(mark) && (mark.outcome === IN_DOUBT || mark.code === CODE);
}
