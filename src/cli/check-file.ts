import type { Job } from '../config/job-definition.ts';
import { readChunks } from '../intake/read-chunks.ts';
import { shortDigest } from '../lib/digest.ts';
import type { Issue } from '../model/issue.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import type { FileFacts } from '../model/source.ts';
import { mappingFor } from '../wiring.ts';

/** What is wrong with a file's rows before anything is sent; holds cell values, so it is for the person who asked. */
export type Checked = {
  readonly file: string;
  readonly job: string;
  readonly rows: number;
  readonly invalid: number;
  /** The first of them. */
  readonly issues: readonly Issue[];
  readonly issuesTotal: number;
};

const ISSUES_SHOWN = 100;
const CHUNK_ROWS = 500;

/** Maps every row and finds keys that the file has twice; throws a UsageError where the columns don't fit the job. */
export async function checkFile(job: Job, facts: FileFacts): Promise<Checked> {
  const { definition } = job;
  const mapping = mappingFor(definition, facts.source);
  const findDuplicate = createDuplicateFinder(mapping, definition.key ?? null);
  const issues: Issue[] = [];
  let invalid = 0;
  let issuesTotal = 0;
  for await (const { rows } of readChunks(facts.path, facts.source, definition.format, CHUNK_ROWS)) {
    for (const row of rows) {
      const found = issuesOf(row, mapping, findDuplicate);
      if (found.length === 0) continue;
      invalid += 1;
      issuesTotal += found.length;
      issues.push(...found.slice(0, ISSUES_SHOWN - issues.length));
    }
  }
  return { file: facts.path, job: job.name, rows: facts.rows, invalid, issues, issuesTotal };
}

type FindDuplicate = (row: Row) => Issue | null;

/** As a run does it: a row whose key came before is a duplicate whatever else is wrong with it. */
function issuesOf(row: Row, mapping: Mapping, findDuplicate: FindDuplicate): readonly Issue[] {
  const duplicate = findDuplicate(row);
  if (duplicate !== null) return [duplicate];
  const mapped = mapping.map(row);
  return mapped.kind === 'issues' ? mapped.issues : [];
}

const KEY_DIGEST_CHARACTERS = 16;

function createDuplicateFinder(mapping: Mapping, column: string | null): FindDuplicate {
  const seen = new Map<string, number>();
  return (row) => {
    const key = mapping.hasKey ? mapping.keyOf(row) : null;
    if (key === null) return null;
    const digest = shortDigest(key, KEY_DIGEST_CHARACTERS);
    const earlier = seen.get(digest);
    if (earlier === undefined) {
      seen.set(digest, row.row);
      return null;
    }
    const expected = `a key that no other row has; row ${earlier} has it`;
    return { row: row.row, line: row.line, column, value: key, expected, code: 'duplicate_key' };
  };
}
