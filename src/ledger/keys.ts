/**
 * The names of everything in Redis, and where a key is kept in an identity ledger. All of one target share a hash tag, so that a script's
 * keys share a cluster slot, and the ledgers of the sandbox and of each base URL are apart. Some stored names are shorter or older than
 * the program's words: they stay, since ledgers outlive versions.
 */

import { shortDigest } from '../lib/digest.ts';

export type LedgerKeys = {
  /** Hash: the epoch, that is, for which server run the ledger was verified, and the registry of workers. */
  readonly epoch: string;
  /** Hash: the service's circuit breaker, over all workers. */
  readonly breaker: string;
  /** Prefix for the queue's own keys. */
  readonly queuePrefix: string;
  /** Sorted set: run id by creation time. */
  readonly runs: string;
  /** Hash: `<sha256>:<job>` → the latest run of that file through that job; `proven:<job>` → a run of it whose first rows succeeded. */
  readonly files: string;
  /** Stream: what was asked for at the page, by whom (page/audit.ts). */
  readonly audit: string;
  /** Hash: worker → what it does (doing.ts). */
  readonly doing: string;
  /** Hash: cause → the note on it (notes.ts). */
  readonly notes: string;
  run(run: string): RunKeys;
  /** Prefix of an identity ledger's buckets. */
  identity(space: string): string;
  /** Prefix of the buckets that hold digests of the fields that the service last accepted. */
  fields(space: string): string;
};

export type RunKeys = {
  /** Hash: the run's record and its counters. */
  readonly record: string;
  /** Prefix; with the chunk's number: hash row → mark, while the chunk is open. */
  readonly chunk: string;
  /** Hash: chunk → its rows' settlements, deflated, once it is closed. */
  readonly blocks: string;
  /** Hash: row → settlement, where a definite outcome came after its chunk was closed in doubt. */
  readonly late: string;
  /** Hash: row → chunk, of the rows in doubt. */
  readonly doubts: string;
  /** Hash: row → source record, of the rows that did not succeed. Personal data. */
  readonly sources: string;
  /** Hash: row → the service's body of a refusal (`packBody`). Personal data. */
  readonly bodies: string;
  /** Hash: row → document records. Personal data. */
  readonly documents: string;
  /** Hash: row → who settled it from in doubt, when and how. */
  readonly resolutions: string;
  /** Hash: row → what a look-up found of it while it stayed in doubt. */
  readonly sightings: string;
  /** Hash: chunk → its rows, deflated, of a rerun that is not over. Personal data. */
  readonly input: string;
  /** Who reads the file: a lease. */
  readonly lease: string;
  /** When the next request of the run may go, over all workers. */
  readonly rate: string;
  /** List: what happened to the run (story.ts). A picture: no report counts from it. */
  readonly story: string;
};

export function ledgerKeys(target: string): LedgerKeys {
  const root = `onboard:{${target === 'sandbox' ? target : shortDigest(target, 12)}}`;
  return {
    epoch: `${root}:gate`,
    breaker: `${root}:weather`,
    queuePrefix: `${root}:queue`,
    runs: `${root}:runs`,
    files: `${root}:files`,
    audit: `${root}:audit`,
    doing: `${root}:doing`,
    notes: `${root}:notes`,
    run: (run) => runKeys(`${root}:run:${run}`),
    identity: (space) => `${root}:known:${space}:`,
    fields: (space) => `${root}:fields:${space}:`,
  };
}

function runKeys(base: string): RunKeys {
  return {
    record: base,
    chunk: `${base}:chunk:`,
    blocks: `${base}:blocks`,
    late: `${base}:late`,
    doubts: `${base}:doubts`,
    sources: `${base}:sources`,
    bodies: `${base}:bodies`,
    documents: `${base}:documents`,
    resolutions: `${base}:resolutions`,
    sightings: `${base}:sightings`,
    input: `${base}:input`,
    lease: `${base}:lease`,
    rate: `${base}:rate`,
    story: `${base}:story`,
  };
}

/** Where the ledger of a space has a key: its bucket, and the digest within it. */
export type Place = { readonly bucket: string; readonly digest: string };

/** Of a row without a key. */
export const NOWHERE: Place = { bucket: '', digest: '' };

/** A key of one identity ledger. `place`: within its space, where it was worked out before. */
export type KeyPlace = { readonly space: string; readonly key: string; readonly place?: Place | undefined };

/** Where the digests of a record's fields are kept: the bucket's full name and the digest within it. */
export function fieldsPlace(keys: LedgerKeys, { space, key, place = identityOf(key) }: KeyPlace): Place {
  return { bucket: keys.fields(space) + place.bucket, digest: place.digest };
}

/** Where an identity ledger keeps a key: the bucket's full name and the digest within it. */
export function identityPlace(keys: LedgerKeys, { space, key, place = identityOf(key) }: KeyPlace): Place {
  return { bucket: keys.identity(space) + place.bucket, digest: place.digest };
}

const BUCKETS = 16_384;
/** 96 bits: two keys share one with a chance below one in 10^14 at ten million keys. */
const DIGEST_CHARACTERS = 16;

/**
 * Where the identity ledger keeps a key: small hashes stay in Redis' compact encoding,
 * and a digest of fixed size instead of the key keeps partner data out of it.
 */
export function identityOf(key: string): Place {
  const digest = shortDigest(key, DIGEST_CHARACTERS);
  return { bucket: bucketOf(digest), digest };
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** By the digest's first 16 bits, which are in its first three characters: no need to decode them all, twice for each row. */
function bucketOf(digest: string): string {
  const bits = (sextet(digest, 0) << 12) | (sextet(digest, 1) << 6) | sextet(digest, 2);
  return ((bits >> 2) % BUCKETS).toString(36);
}

function sextet(digest: string, at: number): number {
  return BASE64URL.indexOf(digest.charAt(at));
}
