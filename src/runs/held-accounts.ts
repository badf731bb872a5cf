/**
 * What a person says of rows that are held for their account: that it was changed at the service by
 * hand, and is the known one from then on (`account_changed`); or that several payees may have it
 * (`account_shared`), so that it holds no row any more, nor one of a later file.
 */
import { mappingFor } from '../delivery/run-mapping.ts';
import { openAccounts } from '../engine/ledger/account.ts';
import { accountsOfOthers, knowAccounts, shareAccounts } from '../engine/ledger/account-index.ts';
import { knowContent } from '../engine/ledger/key-claims.ts';
import { chunksAround, createRunView } from '../engine/ledger/run-view.ts';
import { isUserTold } from '../lib/machine.ts';
import { UsageError } from '../lib/usage-error.ts';
import type { Standing } from '../model/account.ts';
import { whyNotApproved } from '../model/approval.ts';
import type { Mapping } from '../model/mapping.ts';
import type { Row } from '../model/row.ts';
import type { Run, StateRequest } from '../model/run.ts';
import type { Settlement } from '../model/settlement.ts';
import { spaceOf } from '../operations/operations.ts';
import { packContent } from '../readers/mapping/field-digests.ts';
import { accountDigests } from '../readers/mapping/payee-accounts.ts';
import type { Ledger } from '../session.ts';
import { NOWHERE } from './origins.ts';

export const HELD_CODES = ['account_changed', 'account_shared'] as const;
export type HeldCode = (typeof HELD_CODES)[number];

/** Held rows of a run, and all rows of that run that are open. */
type Held = {
  readonly of: Run;
  readonly own: readonly Standing[];
  readonly open: readonly Standing[];
};

/** What is known of their records from then on; a UsageError where a person can't say so of one. */
export async function movedRecords({ of, own, open }: Held, ledger: Ledger) {
  const problem = problemOf(own, open);
  if (problem !== null) throw refusedMove(problem);
  const numbers = own.map(({ row }) => row);
  const { keys, space, definition, records } = await heldRecords(of, numbers, ledger, TO_CONFIRM);
  return records.map(({ key, first, mapped }) => ({
    ...{ space, key, form: definition.keyForm },
    content: packContent(mapped, keys.sealing.saltOf(key)),
    run: of.id,
    row: first,
    accounts: accountDigests(mapped.body, keys.sealing.digest),
  }));
}

export async function keepMoved(
  target: string,
  moved: Awaited<ReturnType<typeof movedRecords>>,
  { redis, ...ledger }: Ledger,
): Promise<void> {
  const { keys } = ledger.of(target);
  await knowContent(redis, keys, moved);
  for (const { run, row, space, accounts: digests } of moved)
    await knowAccounts({ redis, keys, space }, run, { row, digests });
}

type Release = {
  readonly rows: readonly number[];
  readonly request: StateRequest;
  /** False: they hold rows again. */
  readonly areShared: boolean;
};

/**
 * Rows that were held, in this run or last in a later one: several payees may have the accounts
 * for which they were. Answers how many accounts that was not so of before, and the runs in which
 * rows of them are open.
 */
export async function releaseAccounts(of: Run, { rows, request, areShared }: Release, ledger: Ledger) {
  const { keys } = ledger.of(of.target);
  const { open } = await openAccounts(ledger.redis, keys).standOf(of.id);
  const off = areShared ? rows.find((row) => open.get(row)?.isWrittenOff) : undefined;
  if (off !== undefined) throw refusedRelease(writtenOff(off, of));
  const held = await heldRows(of, rows, open, ledger);
  // All are looked at before any is released.
  const found = await Promise.all([...held].map(([id, numbers]) => contestedBy(id, numbers, of, ledger)));
  let changed = 0;
  for (const { index, digests, run, rows: numbers } of found) {
    const sharing = { run, rows: numbers, areShared, at: request.at, reason: request.why };
    changed += await shareAccounts(index, digests, sharing);
  }
  const waiting = [...open.values()].filter(({ code, isWrittenOff }) => code === SHARED && !isWrittenOff);
  return { changed, runs: [...new Set(waiting.map((one) => one.run))] };
}

/** The accounts for which a run held these rows; they may have others of their own beside. */
async function contestedBy(id: string, rows: readonly number[], { target }: Run, ledger: Ledger) {
  const run = await ledger.of(target).store.get(id);
  if (run === null) throw refusedRelease(`run ${id} is gone`);
  const { keys, space, records } = await heldRecords(run, rows, ledger, TO_RELEASE);
  const index = { redis: ledger.redis, keys, space };
  const named = records.map(({ first, mapped }) => ({
    row: first,
    digests: accountDigests(mapped.body, keys.sealing.digest),
  }));
  const digests = await accountsOfOthers(index, { run: id, rows: named, comesFrom: NOWHERE });
  if (digests.length === 0) throw refusedRelease(NO_ACCOUNT);
  return { index, digests, run: id, rows };
}

const SHARED: HeldCode = 'account_shared';
const NO_ACCOUNT = 'no other payee has an account of these rows, or what they said is purged.';

/** Named rows by the run that held them: this one, or the one in which they stand last. */
async function heldRows(of: Run, named: readonly number[], open: Open, ledger: Ledger) {
  const { settled, numbersWith } = await settledOf(of, new Set(named), ledger);
  const held = new Map<string, number[]>();
  for (const row of new Set(named)) {
    const own = settled.get(row);
    const last = open.get(row);
    const isHere = own?.code === SHARED;
    if (!isHere && last?.code !== SHARED) throw refusedRelease(notShared(row, of, own));
    const run = isHere || last === undefined ? of.id : last.run;
    const rows = isHere || last === undefined ? numbersWith(row) : [last.row];
    held.set(run, [...(held.get(run) ?? []), ...rows]);
  }
  return held;
}

type Open = ReadonlyMap<number, Standing>;

function refusedMove(why: string): UsageError {
  return new UsageError([`--changed-at-service: ${why}`, 'Nothing was written off.']);
}

function refusedRelease(why: string): UsageError {
  return new UsageError([why, 'Nothing was released.']);
}

const TO_CONFIRM = { act: 'confirm its accounts', refused: refusedMove } as const;
const TO_RELEASE = { act: 'release its rows', refused: refusedRelease } as const;

const EXPECTED = 'expected a row that it held for an account ' + 'that another payee has (account_shared)';
const MOVED =
  '. A draft can not be updated: change the account ' +
  'at the service, then `onboard write-off` the row ' +
  'with --changed-at-service';

function notShared(row: number, { id }: Run, settled: Settlement | undefined): string {
  const isMoved = settled?.code === ('account_changed' satisfies HeldCode);
  const where = `row ${row} of run ${id}`;
  return `${where}: ${EXPECTED}${isMoved ? MOVED : ''}.`;
}

function writtenOff(row: number, { id }: Run): string {
  return (
    `row ${row} of run ${id} is written off: it shall never be loaded, so it waits for no account. ` +
    'If it shall be loaded after all, load it in another file, and release it there.'
  );
}

/** Rows as their run left them; `numbersWith`: a row's with those of its request. */
async function settledOf(of: Run, named: ReadonlySet<number>, { redis, ...ledger }: Ledger) {
  const { keys } = ledger.of(of.target);
  const settled = new Map<number, Settlement>();
  for await (const { settlements } of chunksAround(redis, keys, of, named))
    for (const one of settlements) settled.set(one.row, one);
  const numbersWith = (row: number) => {
    const key = settled.get(row)?.key ?? '';
    const ofKey = [...settled.values()].filter((one) => one.key === key && one.code === SHARED);
    return key === '' ? [row] : ofKey.map((one) => one.row);
  };
  return { settled, numbersWith };
}

/** Rows of a group were held together: half of them would make half of an account list known. */
function problemOf(own: readonly Standing[], open: readonly Standing[]): string | null {
  const other = own.find(({ code }) => code !== ('account_changed' satisfies HeldCode));
  if (other !== undefined)
    return `row ${other.row} of run ${other.run} was not held for its account (account_changed).`;
  const meant = new Set(own.map(({ row }) => row));
  const left = open.find((one) => !meant.has(one.row) && own.some(({ key }) => key === one.key));
  if (left === undefined) return null;
  return `row ${left.row} of run ${left.run} is of the same record: name all its rows.`;
}

/** The same, where the actor may act on them. */
async function heldRecords(
  of: Run,
  numbers: readonly number[],
  ledger: Ledger,
  { act, refused }: typeof TO_CONFIRM | typeof TO_RELEASE,
) {
  const found = await recordsOf(of, numbers, ledger);
  // Whoever loaded a false account is not the one who says that it is right.
  const asksForTwo = found.definition.approval === 'required';
  const why = asksForTwo ? whyNotApproved(found.keys.actor, of, isUserTold(), act) : null;
  if (why !== null) throw refused(why);
  return found;
}

/** What held rows of a run say, record by record. */
export async function recordsOf(of: Run, numbers: readonly number[], { redis, ...ledger }: Ledger) {
  const { keys, store } = ledger.of(of.target);
  const space = spaceOf(of.operation);
  const definition = await store.definition(of.id);
  if (space === null || definition === null) throw new UsageError(`run ${of.id} is gone`);
  const mapping = mappingFor(definition, of.source);
  const rows = await createRunView(redis, keys, of).sources(numbers);
  const records = [...byKey(mapping, rows.values())].flatMap(([key, all]) => recordOf(key, all, mapping));
  return { keys, space, definition, records };
}

/** Rows of a group are one record. */
function byKey(mapping: Mapping, rows: Iterable<Row>): ReadonlyMap<string, Row[]> {
  const records = new Map<string, Row[]>();
  for (const row of rows) {
    const key = mapping.keyOf(row);
    if (key === null) continue;
    const own = records.get(key) ?? [];
    own.push(row);
    records.set(key, own);
  }
  return records;
}

function recordOf(key: string, rows: readonly Row[], mapping: Mapping) {
  const [first, ...others] = rows;
  if (first === undefined) return [];
  const mapped = others.length === 0 ? mapping.map(first) : mapping.mapGroup(rows);
  // It was compared, so that it maps.
  return mapped.kind === 'mapped' ? [{ key, first: first.row, mapped }] : [];
}
