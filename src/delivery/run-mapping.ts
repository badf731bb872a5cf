/**
 * A job definition compiled against a file's columns, which runs share.
 */

import { type JobDefinition, operationOf } from '../config/job-definition.ts';
import { createRecentMap } from '../lib/recent.ts';
import { UsageError } from '../lib/usage-error.ts';
import { isRightIn, type RightCell } from '../model/issue.ts';
import type { FileMapping, Mapping } from '../model/mapping.ts';
import { type SourceInfo, sourceInfoSchema } from '../model/source.ts';
import { needsPathId, pathFieldOf } from '../operations/operations.ts';
import type { ReadFormat } from '../readers/intake/row-feed.ts';
import { compileMapping } from '../readers/mapping/mapping.ts';
import { createIsNeeded } from '../readers/mapping/required.ts';
import { catalogOf } from './service/operations.ts';

/** As many as a watcher meets between two files of one job. */
const MAPPINGS_KEPT = 64;

const compiled = createRecentMap<string, FileMapping>(MAPPINGS_KEPT);

/** A UsageError lists what doesn't fit. */
export function mappingFor(definition: JobDefinition, source: SourceInfo): FileMapping {
  // In the schema's order of fields, in which the ledger gives a run's source back.
  const name = JSON.stringify([definition, sourceInfoSchema.parse(source)]);
  const mapping = compiled.get(name) ?? compile(definition, source);
  compiled.set(name, mapping);
  return mapping;
}

type RunOfRows = { readonly source: SourceInfo; readonly right: readonly RightCell[] };

/** With what was said of cells of the run's rows. */
export function mappingOfRun(
  definition: JobDefinition,
  { source, right }: RunOfRows,
  digest: (text: string, length: number) => string,
): Mapping {
  const mapping = mappingFor(definition, source);
  return right.length === 0 ? mapping : mapping.lifting(isRightIn(right, digest));
}

/** How the reader reads a job's files. */
export function readFormatOf(definition: JobDefinition): ReadFormat {
  const isNeeded = createIsNeeded(definition, pathFieldOf(operationOf(definition)));
  return { ...definition.format, isNeeded, decrypt: definition.decrypt };
}

function compile(definition: JobDefinition, source: SourceInfo): FileMapping {
  const operation = operationOf(definition);
  return compileMapping({
    definition,
    source,
    catalog: catalogOf(definition),
    pathField: pathFieldOf(operation),
    needsPathId: needsPathId(operation),
  });
}

/** What is wrong with a definition whatever the file, so that no file is blamed for it. */
export function definitionProblems(definition: JobDefinition): readonly string[] {
  return misfits(definition, NO_RECORDS);
}

export function misfits(definition: JobDefinition, source: SourceInfo): readonly string[] {
  try {
    mappingFor(definition, source);
    return [];
  } catch (error) {
    if (error instanceof UsageError) return error.problems;
    throw error;
  }
}

const NO_RECORDS: SourceInfo = {
  type: 'json',
  encoding: 'utf-8',
  bom: false,
  compression: 'none',
  headerLine: 1,
  sheet: null,
  notes: [],
  delimiter: null,
  quote: null,
  columns: [],
};
