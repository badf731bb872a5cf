import { hostname, userInfo } from 'node:os';
import { UsageError } from '../lib/usage-error.ts';
import type { Decision } from '../model/resolution.ts';
import { typedIdProblem } from './resolve-id.ts';

/** The options of `onboard resolve` as they are typed. */
export type ResolveFlags = {
  readonly created?: string;
  readonly notCreated?: boolean;
  readonly file?: string;
  readonly lookup?: boolean;
  readonly jobFile?: string;
  readonly by?: string;
  readonly json?: boolean;
};

/** Where the decisions come from. */
export type ResolveRequest =
  | { readonly kind: 'row'; readonly row: number; readonly decision: Decision }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'lookup'; readonly jobFile: string | null };

const EXPECTED =
  'expected one of: <row> --created <id>, <row> --not-created, --file <in-doubt file>, --lookup';

/** What is asked for; a UsageError where the parts don't fit together. */
export function resolveRequest(row: string | undefined, flags: ResolveFlags): ResolveRequest {
  const { created, notCreated, file, lookup, jobFile } = flags;
  const given = [created !== undefined, notCreated === true, file !== undefined, lookup === true];
  const ofRow = created !== undefined || notCreated === true;
  if (given.filter(Boolean).length !== 1 || ofRow !== (row !== undefined)) throw new UsageError(EXPECTED);
  if (jobFile !== undefined && lookup !== true)
    throw new UsageError('--job-file is for --lookup: expected both, or neither.');
  if (file !== undefined) return { kind: 'file', path: file };
  if (row === undefined) return { kind: 'lookup', jobFile: jobFile ?? null };
  return { kind: 'row', row: rowNumber(row), decision: decisionOf(created) };
}

function rowNumber(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new UsageError(
    `row ${JSON.stringify(text)}: expected the number of a row, as results.csv and in-doubt.csv have it`,
  );
}

function decisionOf(created: string | undefined): Decision {
  if (created === undefined) return { kind: 'not-created' };
  const problem = typedIdProblem(created);
  if (problem !== null) throw new UsageError(`--created: expected an id${problem}`);
  return { kind: 'created', id: created };
}

/** Who decides: as `--by` names them, else the user of this process at this machine. */
export function decider(by: string | undefined): string {
  if (by === undefined) return `${userName()}@${hostname()}`;
  const name = by.trim();
  if (name !== '' && name.isWellFormed() && !/\p{Cc}/u.test(name)) return name;
  throw new UsageError('--by: expected a name without control characters');
}

/** A container may run as a user that has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user-${process.getuid?.() ?? 'unknown'}`;
  }
}
