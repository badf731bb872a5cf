import type { Job } from '../../src/config/job-definition.ts';
import { mappingFor } from '../../src/delivery/run-mapping.ts';
import { readChunks } from '../../src/intake/chunks.ts';
import { surveyFile } from '../../src/intake/survey.ts';
import type { Issue } from '../../src/model/issue.ts';
import type { GroupMapped, Mapped } from '../../src/model/mapping.ts';
import type { Row } from '../../src/model/row.ts';
import { groupRows } from '../support/group-rows.ts';

/** The codes that a row got. */
export type Coded = { readonly row: number; readonly codes: readonly string[] };

/** What a job would keep back of a file, and what it would send with a warning; in file order. */
export type ReadThrough = { readonly invalid: readonly Coded[]; readonly warned: readonly Coded[] };

/** Reads and maps a small file as a run would; UsageError where it is refused as a whole. */
export async function readThrough({ definition }: Job, path: string): Promise<ReadThrough> {
  const { source } = await surveyFile(path, definition.format);
  const mapping = mappingFor(definition, source);
  const rows: Row[] = [];
  const cuts = { chunkRows: 100, chunkEnds: null };
  for await (const chunk of readChunks(path, source, definition.format, cuts)) rows.push(...chunk.rows);
  const { group } = definition;
  if (group === undefined) return found(rows.map((row) => ofRow(row, mapping.map(row))));
  const groups = groupRows(rows, mapping.keyOf);
  return found(groups.flatMap((mates) => ofGroup(mates, mapping.mapGroup(mates))));
}

type RowFindings = {
  readonly row: number;
  readonly issues: readonly Issue[];
  readonly warnings: readonly Issue[];
};

function ofRow({ row }: Row, mapped: Mapped): RowFindings {
  return mapped.kind === 'issues'
    ? { row, issues: mapped.issues, warnings: [] }
    : { row, issues: [], warnings: mapped.warnings };
}

function ofGroup(rows: readonly Row[], merged: GroupMapped): readonly RowFindings[] {
  return rows.map(({ row }) =>
    merged.kind === 'issues'
      ? { row, issues: merged.issues.get(row) ?? [], warnings: [] }
      : { row, issues: [], warnings: merged.warnings.get(row) ?? [] },
  );
}

function found(rows: readonly RowFindings[]): ReadThrough {
  return {
    invalid: coded(rows, ({ issues }) => issues),
    warned: coded(rows, ({ warnings }) => warnings),
  };
}

function coded(rows: readonly RowFindings[], of: (row: RowFindings) => readonly Issue[]): readonly Coded[] {
  return rows.flatMap((one) => {
    const codes = of(one).map(({ code }) => code);
    return codes.length === 0 ? [] : [{ row: one.row, codes }];
  });
}
