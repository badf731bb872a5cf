/**
 * The index of accounts: which rows name an account, and under which name. A row is put there once
 * it has its key, in file order; what it is there, claimed, known, in doubt or nothing any more,
 * goes with its key, by outcomes, journals and decisions alike. Jobs whose guard is off neither
 * fill nor ask it.
 */
import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { type AccountClaim, type AccountHolder, claimWith, type Met } from '../../model/identity.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import {
  accountParts,
  accountPlace,
  accountPlaces,
  bucketsAfter,
  type LedgerKeys,
  placeOfDigest,
} from './keys.ts';
import CLAIM_ACCOUNTS from './lua/claim-accounts.lua';
import FORGET_ACCOUNTS from './lua/forget-accounts.lua';
import KNOW_ACCOUNTS from './lua/know-accounts.lua';
import LOOK_UP from './lua/look-up.lua';
import SHARE_ACCOUNTS from './lua/share-accounts.lua';
import { protocol } from './protocol.ts';
import { script } from './script.ts';
import { type VerifiedLedger, whenVerified } from './verified.ts';

/** `digests`: as `accountDigests` makes them (readers/mapping/payee-accounts.ts). */
export type AccountsOfRow = { readonly row: number; readonly digests: readonly string[] };

type Index = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  /** The ledger's that has the keys of the rows. */
  readonly space: string;
};

type Asking = {
  /** `null`: the file has none yet. */
  readonly run: string | null;
  /** Earlier runs that a row comes from, as a correction or in a rerun. */
  comesFrom(row: number): ReadonlySet<string>;
  readonly rows: readonly AccountsOfRow[];
};

const texts = z.array(z.string());
/** The verification; then of each account that was named before: its number, who named it. */
const claim = whenVerified(CLAIM_ACCOUNTS, z.tuple([z.string()]).rest(texts));

/** Of rows that have their keys, by row. */
export async function claimAccounts(
  verified: VerifiedLedger,
  index: Index,
  asking: Asking & { readonly run: string },
): Promise<ReadonlyMap<number, AccountClaim>> {
  const { keys, space } = index;
  const asked = accountsIn(asking.rows);
  if (asked.length === 0) return new Map();
  const entries = asked.flatMap(({ row, digest }) => [placeOfDigest(digest).bucket, digest, row]);
  const [, ...answers] = await verified.call(claim, [keys.accounts(space)], [asking.run, ...entries]);
  const before = new Map(answers.map(([number, text = '']) => [Number(number) - 1, text]));
  const named = asked.map((one, i) => othersIn(before.get(i) ?? '', one, asking));
  const met = await metBy(asked, named, index);
  return new Map([...met].map(([row, accounts]) => [row, claimWith(accounts)]));
}

const lookUp = script(LOOK_UP, texts);
const ACCOUNTS_PER_CALL = 1000;

/** Without a claim: who names the accounts of rows right now, by row. */
export async function lookUpAccounts(
  index: Index,
  asking: Asking,
): Promise<ReadonlyMap<number, readonly Met[]>> {
  const asked = accountsIn(asking.rows);
  return metBy(asked, await namedBy(asked, index, asking), index);
}

/** Of accounts of rows those that another payee has, but for what somebody has released. */
export async function accountsOfOthers(index: Index, asking: Asking): Promise<readonly string[]> {
  const asked = accountsIn(asking.rows);
  const met = await namedBy(asked, index, asking);
  return asked.filter((_, i) => met[i]?.some(isAnother)).map(({ digest }) => digest);
}

function isAnother({ isSameName }: AccountHolder): boolean {
  return !isSameName;
}

type Asked = { readonly row: number; readonly digest: string };

function accountsIn(rows: readonly AccountsOfRow[]): readonly Asked[] {
  return rows.flatMap(({ row, digests }) => digests.map((digest) => ({ row, digest })));
}

async function namedBy(asked: readonly Asked[], { redis, keys, space }: Index, asking: Asking) {
  const found: string[] = [];
  for (const batch of batchesOf(asked, ACCOUNTS_PER_CALL)) {
    const args = batch.flatMap(({ digest }) => [
      accountPlace(keys, space, digest).bucket,
      accountParts(digest).account,
    ]);
    found.push(...(await lookUp(redis, [keys.audit], args)));
  }
  return asked.map((one, i) => othersIn(found[i] ?? '', one, asking));
}

const HOLDER = /([a-z])([^\s;]+) (\S+) (\d+)/g;

/** In the order of their claims. A row that gave the account back counts for its own run alone. */
function othersIn(text: string, { row, digest }: Asked, { run, comesFrom }: Asking): AccountHolder[] {
  const { name: own } = accountParts(digest);
  const others: AccountHolder[] = [];
  for (const [, kind, name, by = '', number] of text.matchAll(HOLDER)) {
    const isOfRun = by === run;
    // Rows are read in order, however often.
    const isLater = isOfRun && Number(number) >= row;
    const isOver = kind === protocol.givenBack && !isOfRun;
    if (isLater || isOver) continue;
    others.push({
      run: isOfRun ? null : by,
      row: Number(number),
      isSameName: name === own,
      isSent: kind === protocol.known || kind === protocol.doubted,
      isOfDelivery: isOfRun || comesFrom(row).has(by),
    });
  }
  return others;
}

/** Without other names on accounts that several payees may have. */
async function metBy(
  asked: readonly Asked[],
  named: ReadonlyArray<readonly AccountHolder[]>,
  { redis, keys, space }: Index,
): Promise<ReadonlyMap<number, readonly Met[]>> {
  const contested = asked.filter((_, i) => named[i]?.some(isAnother));
  const accounts = contested.map(({ digest }) => accountParts(digest).account);
  const shared = await sharedAmong(redis, keys.sharedAccounts(space), accounts);
  const met = new Map<number, Met[]>();
  for (const [i, { row, digest }] of asked.entries()) {
    const isShared = shared.has(accountParts(digest).account);
    const others = (named[i] ?? []).filter((other) => other.isSameName || !isShared);
    met.set(row, [...(met.get(row) ?? []), { digest, others }]);
  }
  return met;
}

async function sharedAmong(redis: RedisConnection, shared: string, accounts: readonly string[]) {
  if (accounts.length === 0) return new Set();
  const found = await redis.hmget(shared, ...accounts);
  return new Set(accounts.filter((_, i) => found[i] !== null));
}

const know = script(KNOW_ACCOUNTS, z.number());

/** By a person's word a row has accounts from now on. May run twice. */
export async function knowAccounts(
  { redis, keys, space }: Index,
  run: string,
  { row, digests }: AccountsOfRow,
): Promise<void> {
  const places = accountPlaces(keys, { space, accounts: digests });
  await know(redis, [keys.audit], [run, row, places]);
}

const share = script(SHARE_ACCOUNTS, z.number());

/**
 * A person's word that several payees may have these accounts, or that they may no longer. Answers
 * of how many that was not so before.
 */
export function shareAccounts(
  { redis, keys, space }: Index,
  digests: readonly string[],
  { run, rows, areShared, at, reason: why }: Sharing,
): Promise<number> {
  const accounts = [...new Set(digests.map((digest) => accountParts(digest).account))];
  const of = JSON.stringify({ rows: rows.join(','), accounts: accounts.length, why });
  const said = [stubOf(keys, run, at), areShared ? 'released' : 'release-revoked', of];
  const names = [keys.sharedAccounts(space), keys.audit, keys.run(run).record];
  return appending(redis, [keys.audit], ([link = '']) =>
    share(redis, names, [run, areShared ? '1' : '', link, ...said, ...accounts]),
  );
}

type Sharing = {
  readonly run: string;
  readonly rows: readonly number[];
  readonly areShared: boolean;
  readonly reason: string;
  /** ISO 8601. */
  readonly at: string;
};

const forget = script(FORGET_ACCOUNTS, z.number());
/** Of a million accounts they take some 60 ms. */
const BUCKETS_PER_CALL = 1024;

/** For a purge in a ledger that isn't sealed: whoever has Redis could try accounts. */
export async function forgetAccounts({ redis, keys, space }: Index, run: string): Promise<void> {
  await forget(redis, [keys.sharedAccounts(space)], [run]);
  for (const batch of batchesOf(bucketsAfter(keys.accounts(space)), BUCKETS_PER_CALL))
    await forget(redis, batch, [run]);
}
