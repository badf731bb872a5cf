/**
 * The index of accounts: which row has an account, and under which name. An account is claimed as a
 * key is, by the same script and in file order, in buckets of its own: the account in the place of
 * the key's form, the name in that of its text. It becomes known, in doubt or free again with its
 * row's key. Jobs whose guard is off neither fill nor ask it.
 */
import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { type AccountClaim, type AccountHolder, graverHolder } from '../../model/identity.ts';
import { stubOf } from './audit.ts';
import { appending } from './audit-chain.ts';
import { claim, keysNow, parseEntry } from './key-claims.ts';
import {
  accountAlone,
  accountPlace,
  accountPlaces,
  bucketsAfter,
  type LedgerKeys,
  placeOfDigest,
} from './keys.ts';
import FORGET_ACCOUNTS from './lua/forget-accounts.lua';
import KNOW_ACCOUNTS from './lua/know-accounts.lua';
import SHARE_ACCOUNTS from './lua/share-accounts.lua';
import { protocol } from './protocol.ts';
import { script } from './script.ts';
import type { VerifiedLedger } from './verified.ts';

/** `digests`: as `accountDigests` makes them (readers/mapping/payee-accounts.ts). */
export type AccountsOfRow = { readonly row: number; readonly digests: readonly string[] };

/** `run`: `null` where the file has none yet. `kin`: it, and those from which its rows come. */
type DeliveryRun = { readonly run: string | null; readonly kin: ReadonlySet<string> };

type Index = {
  readonly redis: RedisConnection;
  readonly keys: LedgerKeys;
  /** The ledger's that has the keys of the rows. */
  readonly space: string;
};

/** Of rows that have their keys, by row. */
export async function claimAccounts(
  verified: VerifiedLedger,
  index: Index,
  { rows, ...delivery }: DeliveryRun & { readonly run: string; readonly rows: readonly AccountsOfRow[] },
): Promise<ReadonlyMap<number, AccountClaim>> {
  const { keys, space } = index;
  const asked = accountsOf(rows);
  if (asked.length === 0) return new Map();
  const entries = asked.flatMap(({ row, digest }) => [placeOfDigest(digest).bucket, digest, row]);
  const [, ...answers] = await verified.call(claim, [keys.accounts(space)], [delivery.run, 0, ...entries]);
  const holders = new Map(
    answers.map(([number, , ...entry]) => [Number(number) - 1, holderOf(entry, delivery)]),
  );
  return claimsOf(asked, (i) => holders.get(i), index);
}

/** The same without a claim: what stands in the way of rows right now. */
export async function lookUpAccounts(
  index: Index,
  { rows, ...delivery }: DeliveryRun & { readonly rows: readonly AccountsOfRow[] },
): Promise<ReadonlyMap<number, AccountClaim>> {
  const { redis, keys, space } = index;
  const asked = accountsOf(rows);
  const found: ReturnType<typeof holderOf>[] = [];
  for (const batch of batchesOf(asked, ACCOUNTS_PER_CALL)) {
    const places = batch.map(({ digest }) => accountPlace(keys, space, digest));
    const args = places.flatMap(({ bucket, digest }) => [bucket, digest]);
    const entries = await keysNow(redis, [keys.audit], args);
    found.push(...entries.map((entry) => (isGivenBack(entry) ? undefined : holderOf(entry, delivery))));
  }
  return claimsOf(asked, (i) => found[i], index);
}

/** A later row of that very file would still find it. */
function isGivenBack([kind]: readonly string[]): boolean {
  return kind === protocol.givenBack;
}

const ACCOUNTS_PER_CALL = 1000;

function accountsOf(rows: readonly AccountsOfRow[]) {
  return rows.flatMap(({ row, digests }) => digests.map((digest) => ({ row, digest })));
}

/** `undefined`: nobody has it. */
function holderOf(entry: readonly string[], { run, kin }: DeliveryRun): AccountHolder | undefined {
  const state = parseEntry(entry);
  if (state.kind === 'free') return undefined;
  return {
    run: state.run === run ? null : state.run,
    row: state.row,
    isSameName: state.alike !== true,
    isOfDelivery: kin.has(state.run),
  };
}

async function claimsOf(
  asked: ReadonlyArray<{ readonly row: number; readonly digest: string }>,
  holderAt: (i: number) => AccountHolder | undefined,
  { redis, keys, space }: Index,
): Promise<ReadonlyMap<number, AccountClaim>> {
  const isHeld = asked.map((_, i) => holderAt(i)?.isSameName === false);
  const named = asked.filter((_, i) => isHeld[i]).map(({ digest }) => accountAlone(digest));
  const shared = await sharedAmong(redis, keys.sharedAccounts(space), named);
  const met = new Map<number, { own: string[]; others: AccountHolder[] }>();
  for (const [i, { row, digest }] of asked.entries()) {
    const ofRow = met.get(row) ?? { own: [], others: [] };
    met.set(row, ofRow);
    const holder = holderAt(i);
    if (holder === undefined) ofRow.own.push(digest);
    else if (holder.isSameName || !shared.has(accountAlone(digest))) ofRow.others.push(holder);
  }
  return new Map([...met].map(([row, { own, others }]) => [row, claimWith(own, others)]));
}

export function claimWith(own: readonly string[], others: readonly AccountHolder[]): AccountClaim {
  const other = graverHolder(others);
  return { own: [...own], ...(other !== undefined && { other }) };
}

async function sharedAmong(redis: RedisConnection, shared: string, accounts: readonly string[]) {
  if (accounts.length === 0) return new Set();
  const found = await redis.hmget(shared, ...accounts);
  return new Set(accounts.filter((_, i) => found[i] !== null));
}

const know = script(KNOW_ACCOUNTS, z.number());

/** By a person's word rows have accounts from now on that nobody else has. May run twice. */
export async function knowAccounts(
  { redis, keys, space }: Index,
  run: string,
  rows: readonly AccountsOfRow[],
): Promise<void> {
  for (const { row, digests } of rows) {
    const places = accountPlaces(keys, space, digests);
    await know(redis, [keys.audit], [run, row, places]);
  }
}

const share = script(SHARE_ACCOUNTS, z.number());

/**
 * A person's word that several payees may have these accounts, or that they may no longer. Answers
 * how many they are.
 */
export async function shareAccounts(
  { redis, keys, space }: Index,
  digests: readonly string[],
  { run, rows, areShared, at, reason: why }: Sharing,
): Promise<number> {
  const accounts = [...new Set(digests.map(accountAlone))];
  const of = JSON.stringify({ rows: rows.join(','), accounts: accounts.length, why });
  const said = [stubOf(keys, run, at), areShared ? 'released' : 'release-revoked', of];
  const names = [keys.sharedAccounts(space), keys.audit, keys.run(run).record];
  await appending(redis, [keys.audit], ([link = '']) =>
    share(redis, names, [run, areShared ? '1' : '', link, ...said, ...accounts]),
  );
  return accounts.length;
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
