/**
 * What the rows of a file are known by: their keys or, where a job that creates records names none,
 * their content: what they map to, and the how-manieth row of their file it is that maps to it. The
 * same file gives the same identities however often it is read.
 */
import { isKnownByContent, type JobDefinition, operationOf } from '../config/job-definition.ts';
import { mappingOfRun } from '../delivery/run-mapping.ts';
import type { AccountsOfRow } from '../engine/ledger/account-index.ts';
import { formAt, type LedgerKeys } from '../engine/ledger/keys.ts';
import { type LikeRow, likeRowsBefore } from '../engine/ledger/origins.ts';
import { rightCellsIn } from '../engine/ledger/run-record.ts';
import { createDigestTable, hexDigest, tableDigest } from '../lib/digest.ts';
import { orElse } from '../lib/errors.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import { contentText } from '../model/content.ts';
import { identityWithoutKey, type RowContent } from '../model/identity.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import { groupRows } from '../model/row-group.ts';
import type { Run } from '../model/run.ts';
import { spaceOf } from '../operations/operations.ts';
import { accountDigests } from '../readers/mapping/payee-accounts.ts';

/** `rowContent`: of a row without a key that maps. */
type Identity = { readonly key: string; readonly rowContent?: RowContent };

/** `null`: the row has none, and claims nothing. */
export type Identify = (row: Row) => Identity | null;

type Identifying = {
  readonly definition: JobDefinition;
  readonly mapping: Mapping;
  readonly run: Pick<Run, 'sha256' | 'identity'>;
  /** The row of an earlier file that a row stands for, where that one had this content. */
  readonly beforeOf?: BeforeOf;
};

type BeforeOf = (row: number, digest: string) => LikeRow | undefined;

/** Where it counts (`countsRows`), it has to be asked of all rows of the file, in order. */
function createIdentify({ run, definition, mapping, beforeOf = () => undefined }: Identifying): Identify {
  if (mapping.hasKey) {
    return (row) => {
      const key = mapping.keyOf(row);
      return key === null ? null : { key };
    };
  }
  const numberOf = createNumbers(definition, beforeOf);
  return (row) => {
    const text = run.identity === 'content' ? contentOf(row, mapping) : null;
    const rowContent = text === null ? undefined : numberOf(row, hexDigest(text, DIGEST_CHARACTERS));
    const key = identityWithoutKey(run, row.row, rowContent);
    return key === null ? null : { key, ...(rowContent !== undefined && { rowContent }) };
  };
}

/** For the rows of a file that has no run yet. */
export function createFileIdentify(
  sha256: string,
  identifying: Pick<Identifying, 'definition' | 'mapping'>,
): Identify {
  const identity = isKnownByContent(identifying.definition) ? 'content' : undefined;
  return createIdentify({ ...identifying, run: { sha256, identity } });
}

/** For a run's rows, of which some may stand for rows of earlier files. */
export async function openIdentify(
  run: Run,
  definition: JobDefinition,
  { redis, keys }: { readonly redis: RedisConnection; readonly keys: LedgerKeys },
): Promise<Identify> {
  const right = rightCellsIn(await redis.hget(keys.run(run.id).record, 'right'));
  const mapping = mappingOfRun(definition, { ...run, right }, keys.sealing.digest);
  const identifying = { run, definition, mapping };
  if (run.identity !== 'content') return createIdentify(identifying);
  const before = await likeRowsBefore(redis, keys, run);
  const beforeOf: BeforeOf = (row, digest) => {
    const like = before.get(row);
    const key = like && identityWithoutKey(run, row, { digest, nth: like.nth });
    // Edited, it is another row.
    return key && formAt(keys, { key }) === formAt(keys, { key, ...like }) ? like : undefined;
  };
  return createIdentify({ ...identifying, beforeOf });
}

/** 128 bits. */
const DIGEST_CHARACTERS = 32;

/** Whether like rows of one file are told apart by their number. */
export function countsRows(definition: JobDefinition): boolean {
  return isKnownByContent(definition) && definition.checks.same_row === 'warn';
}

function createNumbers(definition: JobDefinition, beforeOf: BeforeOf) {
  const counts = countsRows(definition);
  const last = createDigestTable();
  return ({ row }: Row, digest: string): RowContent => {
    const before = beforeOf(row, digest);
    if (before?.nth !== undefined) return { digest, nth: before.nth };
    if (!counts) return { digest };

    // One that was held back for an earlier row of its file is at least the second.
    const least = before === undefined ? 1 : 2;
    const place = tableDigest(digest);
    const nth = Math.max((last.get(place) ?? 0) + 1, least);
    last.set(place, nth);
    return nth === 1 ? { digest } : { digest, nth };
  };
}

/** `null`: the row doesn't map. */
export function contentOf(row: Row, mapping: Mapping): string | null {
  // Its worker says what is wrong.
  const mapped = orElse(null, () => mapping.map(row));
  if (mapped?.kind !== 'mapped') return null;
  return `${JSON.stringify(mapped.pathId)}\n${contentText(mapped)}`;
}

/** The accounts of requests whose first row is asked for, each under that row. */
export type AccountsOf = (
  rows: readonly Row[],
  isAsked: (leader: number) => boolean,
) => readonly AccountsOfRow[];

/** `null`: the job's records have no accounts, or nobody is to look at them. */
export function createAccountsOf(
  { key, group, guard, ...definition }: JobDefinition,
  mapping: Mapping,
  { sealing }: Pick<LedgerKeys, 'sealing'>,
): AccountsOf | null {
  const isKept = key !== undefined && spaceOf(operationOf(definition)) !== null;
  const hasAccounts = mapping.fields.some(([name]) => name === 'accounts');
  if (!isKept || !hasAccounts || guard.accounts === 'off') return null;

  return (rows, isAsked) => {
    const groups = groupRows(rows, group === undefined ? null : mapping.groupOf);
    const asked = groups.filter(({ leader }) => isAsked(leader.row));
    return asked.flatMap(({ leader, members }) => {
      // Its worker says what is wrong.
      const payee = orElse(null, () => mapping.payeeOf([leader, ...members]));
      // Without a key it is never sent.
      if (payee === null || mapping.keyOf(leader) === null) return [];
      return { row: leader.row, digests: accountDigests(payee, sealing.digest) };
    });
  };
}
