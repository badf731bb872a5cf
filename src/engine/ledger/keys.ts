/**
 * The names of everything in Redis, and where an identity ledger keeps a key. All keys of one
 * target share a hash tag, so that a script's keys share a cluster slot, and each base URL and the
 * sandbox have a ledger of their own.
 */

import { sextet, shortDigest } from '../../lib/digest.ts';
import { systemUser } from '../../lib/machine.ts';
import type { Seal } from '../../lib/seal.ts';
import type { Actor } from '../../model/audit.ts';
import { ACCOUNT_DIGEST } from '../../model/identity.ts';
import { type KeyForm, normalForm } from '../../model/key-form.ts';
import { protocol } from './protocol.ts';
import { IN_CLEAR, type Sealing } from './sealing.ts';

export type LedgerKeys = ReturnType<typeof ledgerKeys>;

export type RunKeys = {
  /** Hash: the run's record and its counters. */
  readonly record: string;
  /** Prefix; with the chunk's number: the hash of an open chunk (lua/parts/open-chunk). */
  readonly chunk: string;
  /** Hash: closed chunk → its rows' settlements but for the open ones, deflated (block.ts). */
  readonly blocks: string;
  /** Hash: closed chunk → its open rows, deflated; none for one without any. */
  readonly openRows: string;
  /** The two as a purge that is under way leaves them. */
  readonly purgedBlocks: string;
  readonly purgedOpenRows: string;
  /** Hash: row → settlement that replaced one of its chunk's block. */
  readonly late: string;
  /** Hash: row in doubt → chunk. */
  readonly doubts: string;
  /** Hash: row that did not succeed → source record. Personal data. */
  readonly sources: string;
  /** Hash: refused row → digest of the service's body, digest → that body. Personal data. */
  readonly bodies: string;
  /** Hash: row → document records. Personal data. */
  readonly documents: string;
  /** Hash: row → who settled it from in doubt, when and how. */
  readonly resolutions: string;
  /** Hash: worker → its journal, while that tells of the run. */
  readonly journals: string;
  /** Set: runs that have rows of this one. */
  readonly takers: string;
  /** Hash: when → rows that shall never be loaded, who says so and why. */
  readonly writtenOff: string;
  /** Hash: row in doubt → what a look-up found of it. */
  readonly sightings: string;
  /** Hash: chunk → its rows, deflated, of a rerun that is not over. Personal data. */
  readonly input: string;
  /** The lease of the process that reads the file. */
  readonly lease: string;
  /** When the run's next request may go, over all workers. */
  readonly rate: string;
  /** List: the run's latest entries of the audit, and what happened besides (display.ts). */
  readonly story: string;
  /** Under the run's data key. */
  seal(): Promise<Seal>;
};

/** What a run keeps of single rows, each in a box of its own. */
export type KeptOfRow = 'sources' | 'documents' | 'sightings';

export function keptPlace(what: KeptOfRow, row: number): string {
  return `${what} ${row}`;
}

/** Tells the ledgers of one Redis, and the journals of one home, apart. */
export function ledgerName(target: string): string {
  return target === 'sandbox' ? target : shortDigest(target, 12);
}

export function ledgerKeys(target: string, actor: Actor = systemUser(), sealing: Sealing = IN_CLEAR) {
  const name = ledgerName(target);
  const root = `onboard:{${name}}`;
  return {
    name,
    /** Who changes the ledger by these keys. */
    actor,
    /** Hash: the server run that the ledger was verified for, and its workers. */
    epoch: `${root}:epoch`,
    /** Sorted set: worker that left by the time (ms). */
    left: `${root}:left`,
    /** Hash: the service's circuit breaker. */
    breaker: `${root}:breaker`,
    /** Prefix of the queue's own keys. */
    queuePrefix: `${root}:queue`,
    /** Sorted set: run id by creation time. */
    runs: `${root}:runs`,
    /** Hash: `<sha256>:<job>` → latest run; `proven:<job>` → a run whose first rows succeeded. */
    files: `${root}:files`,
    /** List: the chain of who did what (audit.ts). */
    audit: `${root}:audit`,
    /** Hash: worker → what it does (display.ts). */
    doing: `${root}:doing`,
    /** What tags of rows are made under (reply-tags.ts). */
    replySecret: `${root}:reply-secret`,
    /** Hash: cause → the note on it (display.ts). */
    notes: `${root}:notes`,
    /** String: a start that its caller has named (starts.ts). */
    start: (digest: string) => `${root}:start:${digest}`,
    run: (run: string) => runKeys(run, `${root}:run:${run}`, sealing),
    sealing,
    /** Prefix of an identity ledger's buckets. */
    identity: (space: string) => `${root}:known:${space}:`,
    /** Prefix of the buckets that say which row has an account. */
    accounts: (space: string) => `${root}:accounts:${space}:`,
    /** Hash: account that several payees may have → the run by which somebody said so. */
    sharedAccounts: (space: string) => `${root}:shared-accounts:${space}`,
    /** Hash: what an identity ledger knows a row by that is written off → its run and row. */
    writtenOff: (space: string) => `${root}:written-off:${space}`,
    /** Prefix of the buckets with digests of the fields that the service last accepted. */
    fields: (space: string) => `${root}:fields:${space}:`,
  };
}

function runKeys(run: string, base: string, sealing: Sealing): RunKeys {
  return {
    record: base,
    chunk: `${base}:chunk:`,
    blocks: `${base}:blocks`,
    openRows: `${base}:open-rows`,
    purgedBlocks: `${base}:purged-blocks`,
    purgedOpenRows: `${base}:purged-open-rows`,
    late: `${base}:late`,
    doubts: `${base}:doubts`,
    sources: `${base}:sources`,
    bodies: `${base}:bodies`,
    documents: `${base}:documents`,
    resolutions: `${base}:resolutions`,
    journals: `${base}:journals`,
    takers: base + protocol.takersSuffix,
    writtenOff: `${base}:written-off`,
    sightings: `${base}:sightings`,
    input: `${base}:input`,
    lease: `${base}:lease`,
    rate: `${base}:rate`,
    story: base + protocol.storySuffix,
    seal: () => sealing.sealOf(run, base),
  };
}

export type Place = { readonly bucket: string; readonly digest: string };

export const NOWHERE: Place = { bucket: '', digest: '' };

/** A key of one identity ledger. */
export type KeyPlace = {
  readonly space: string;
  readonly key: string;
  /** Left out: loose. */
  readonly form?: KeyForm | undefined;
  /** Within its space, where it was worked out before. */
  readonly place?: Place | undefined;
  /** Of the record, as the index of accounts knows them. */
  readonly accounts?: readonly string[] | undefined;
};

/**
 * Where the digests of a record's fields are kept: the bucket's full name and the digest within it.
 */
export function fieldsPlace(keys: LedgerKeys, of: KeyPlace): Place {
  const place = placeOf(keys, of);
  // A record has its fields whichever way the job compares keys.
  return { bucket: keys.fields(of.space) + place.bucket, digest: place.digest.replace(protocol.exact, '') };
}

/** Where an identity ledger keeps a key: the bucket's full name and what finds it there. */
export function identityPlace(keys: LedgerKeys, of: KeyPlace): Place {
  const { bucket, digest } = placeOf(keys, of);
  return { bucket: keys.identity(of.space) + bucket, digest };
}

/** Where the index of accounts keeps one: its bucket, and the digest of account and name. */
export function accountPlace(keys: LedgerKeys, space: string, digest: string): Place {
  const place = placeOfDigest(digest);
  return { bucket: keys.accounts(space) + place.bucket, digest };
}

/** All of a record, as the scripts take them: bucket, digest, …, with spaces between. */
export function accountPlaces(keys: LedgerKeys, { space, accounts = [] }: Accounts): string {
  if (accounts.length === 0) return '';
  const places = accounts.map((digest) => accountPlace(keys, space, digest));
  return places.map(({ bucket, digest }) => `${bucket} ${digest}`).join(' ');
}

type Accounts = Pick<KeyPlace, 'space' | 'accounts'>;

/** Of an account, whoever has it, and of the name. */
export function accountParts(digest: string) {
  return { account: digest.slice(0, ACCOUNT_DIGEST), name: digest.slice(ACCOUNT_DIGEST) };
}

function placeOf(keys: LedgerKeys, { key, form, place }: KeyPlace): Place {
  return place ?? identityOf(keys, key, form);
}

/** All buckets of a space: of its keys, of their fields, of accounts. */
export function bucketsOf(keys: LedgerKeys, space: string): string[] {
  const prefixes = [keys.identity(space), keys.fields(space), keys.accounts(space)];
  return prefixes.flatMap(bucketsAfter);
}

/** Of a space: of its keys alone. */
export function bucketsOfKeys(keys: LedgerKeys, space: string): string[] {
  return bucketsAfter(keys.identity(space));
}

export function bucketsAfter(prefix: string): string[] {
  return Array.from({ length: BUCKETS }, (_, i) => prefix + i.toString(36));
}

const BUCKETS = 16_384;
/** 96 bits: two keys share one with a chance below one in 10^14 at ten million keys. */
const FORM_CHARACTERS = protocol.formLength;
/** 36 bits tell the texts of one form apart, which are few. */
const TEXT_CHARACTERS = 6;

/**
 * Where the identity ledger keeps a key: small hashes stay in Redis' compact encoding,
 * and a digest of fixed size instead of the key keeps partner data out of it.
 */
export function identityOf(
  { sealing }: Pick<LedgerKeys, 'sealing'>,
  key: string,
  form: KeyForm = 'loose',
): Place {
  const normal = normalForm(key);
  const digest = sealing.digest(normal, FORM_CHARACTERS);
  const text = normal === key ? '' : sealing.digest(key, TEXT_CHARACTERS);
  return { bucket: bucketOf(digest), digest: digest + (form === 'exact' ? protocol.exact : '') + text };
}

/** What all texts of a key's form have in common. */
export function formAt(
  keys: Pick<LedgerKeys, 'sealing'>,
  { key, keyDigest }: { readonly key: string; readonly keyDigest?: string | undefined },
): string {
  const digest = keyDigest ?? identityOf(keys, key).digest;
  return digest.slice(0, FORM_CHARACTERS);
}

/** Where a key is that is known by its digest alone. */
export function placeOfDigest(digest: string): Place {
  return { bucket: bucketOf(digest), digest };
}

/** By the digest's first 16 bits: decoding the whole digest twice a row would cost more. */
function bucketOf(digest: string): string {
  const bits = (sextet(digest, 0) << 12) | (sextet(digest, 1) << 6) | sextet(digest, 2);
  return ((bits >> 2) % BUCKETS).toString(36);
}
