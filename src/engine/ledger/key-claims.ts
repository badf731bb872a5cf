/**
 * The identity ledgers: which row of which run has a key, and what became of it. Keys are claimed
 * in file order while a file is read; the same rows may be claimed again and get the same answers,
 * so that two files with one key, at the same time, create it once.
 */

import { z } from 'zod';
import { batchesOf } from '../../lib/batches.ts';
import type { RedisConnection } from '../../lib/redis-connection.ts';
import { claimOf, FREE, type KeyClaim, type KeyState } from '../../model/identity.ts';
import type { KeyForm } from '../../model/key-form.ts';
import {
  fieldsPlace,
  identityOf,
  identityPlace,
  type KeyPlace,
  type LedgerKeys,
  type Place,
} from './keys.ts';
import CLAIM from './lua/claim.lua';
import KNOW_CONTENT from './lua/know-content.lua';
import LOOK_UP from './lua/look-up.lua';
import LOOK_UP_IN_EPOCH from './lua/look-up-in-epoch.lua';
import LOOK_UP_KEYS from './lua/look-up-keys.lua';
import LOOK_UP_KEYS_IN_EPOCH from './lua/look-up-keys-in-epoch.lua';
import { protocol } from './protocol.ts';
import { type Script, script } from './script.ts';
import { type VerifiedLedger, whenVerified } from './verified.ts';

const texts = z.array(z.string());
/** The verification; then of each row without its key: its number, who met the entry, the entry. */
const claim = whenVerified(CLAIM, z.tuple([z.string()]).rest(texts));

/** Longer than any run is gone on with. */
const RUN_SPACE_TTL_SECONDS = 90 * 24 * 3600;

/** What became of claims, by that verification: by a later one Redis may have lost them. */
export type Claimed = { readonly claims: readonly KeyClaim[]; readonly verification: string };

export async function claimKeys(
  verified: VerifiedLedger,
  keys: LedgerKeys,
  options: {
    readonly run: string;
    /** An identity ledger, or one that is of this run alone and ends with it. */
    readonly space: { readonly name: string; readonly ofRun: boolean };
    /** How the run's job compares keys; left out: loose. */
    readonly form?: KeyForm;
    readonly rows: ReadonlyArray<{ readonly row: number; readonly key: string }>;
  },
): Promise<Claimed> {
  const { run, space, form, rows } = options;
  const entries: (string | number)[] = [];
  for (const { row, key } of rows) {
    const { bucket, digest } = identityOf(keys, key, form);
    entries.push(bucket, digest, row);
  }
  const ttl = space.ofRun ? RUN_SPACE_TTL_SECONDS : 0;
  const args = [run, ttl, ...entries];
  const [opened, ...answers] = await verified.call(claim, [keys.identity(space.name)], args);
  const claims = rows.map((): KeyClaim => ({ kind: 'claimed' }));
  for (const [number, metBy, entry] of answers) claims[Number(number) - 1] = obstacleOf(entry, metBy, run);
  return { claims, verification: opened };
}

/** `metBy`: the row of this run that met the entry before. */
function obstacleOf(entry: string | undefined, metBy: string | undefined, run: string): KeyClaim {
  const state = parseEntry(entry ?? '');
  if (state.kind === 'free') throw new Error('an entry of the identity ledger can not be read');
  const first = state.run === run ? state.row : Number(metBy);
  const isAlike = state.run === run && state.alike === true;
  return claimOf(state, run, () => (first === 0 ? null : { row: first, isAlike }));
}

/** An entry as scripts answer it (`answerOf`); `''`: there is none. */
function parseEntry(entry: string): KeyState {
  const [kind, another] = [entry.charAt(0), entry.charAt(1)];
  const runAt = entry.indexOf(' ') + 1;
  const rowAt = entry.indexOf(' ', runAt) + 1;
  const idAt = entry.indexOf(' ', rowAt) + 1;
  const content = entry.slice(2, runAt - 1);
  const run = entry.slice(runAt, rowAt - 1);
  const row = Number(entry.slice(rowAt, idAt - 1));
  const id = entry.slice(idAt);
  const place = { run, row };
  const alike = another === '1' ? ALIKE : undefined;
  switch (kind) {
    case protocol.known:
      // Nearly all: building the object from parts costs more than reading the entry.
      if (alike === undefined && content !== '') return { kind: 'known', run, row, id, content };
      return { kind: 'known', ...place, id, ...(content !== '' && { content }), ...alike };
    case protocol.claimed:
    case protocol.doubted:
      return { kind: 'held', ...place, inDoubt: kind === protocol.doubted, ...alike };
    case protocol.givenBack:
      // Nobody had it: an exact job left word there.
      return run === protocol.nobody ? FREE : { kind: 'given-back', ...place, ...alike };
    default:
      return FREE;
  }
}

const ALIKE = { alike: true } as const;

/** Reads what is known of places. */
type Look = (places: readonly Place[]) => Promise<readonly string[]>;

const fieldsVerified = whenVerified(LOOK_UP_IN_EPOCH, texts);
const keysVerified = whenVerified(LOOK_UP_KEYS_IN_EPOCH, texts);
const fieldsNow = script(LOOK_UP, texts);
const keysNow = script(LOOK_UP_KEYS, texts);
/** Some ms of Redis, in which others wait. */
const PLACES_PER_CALL = 500;

/** For what is decided by it. */
export function looksWhenVerified(verified: VerifiedLedger): Record<'fields' | 'keys', Look> {
  return {
    fields: (places) => verified.read(fieldsVerified, [], argumentsOf(places)),
    keys: (places) => verified.read(keysVerified, [], [textOf(places)]),
  };
}

type Sent = (places: readonly Place[]) => readonly string[];

function lookNow(redis: RedisConnection, look: Script<readonly string[]>, sent: Sent): Look {
  return async (places) => {
    const found: string[] = [];
    // A cluster sends a script without keys to any node.
    for (const batch of batchesOf(places, PLACES_PER_CALL))
      found.push(...(await look(redis, [batch[0]?.bucket ?? ''], sent(batch))));
    return found;
  };
}

function argumentsOf(places: readonly Place[]): string[] {
  return places.flatMap(({ bucket, digest }) => [bucket, digest]);
}

function textOf(places: readonly Place[]): string {
  return places.map(({ bucket, digest }) => `${bucket} ${digest}`).join(' ');
}

export async function keyStates(
  look: Look,
  keys: LedgerKeys,
  asked: readonly KeyPlace[],
): Promise<KeyState[]> {
  const found = await look(asked.map((of) => identityPlace(keys, of)));
  return found.map(parseEntry);
}

/** Keys of one identity ledger, as a job compares them. */
export type KeysAsked = {
  readonly space: string;
  readonly form?: KeyForm | undefined;
  readonly names: readonly string[];
};

/** What an identity ledger says of keys right now, for a person who asks. */
export async function readKeys(
  redis: RedisConnection,
  keys: LedgerKeys,
  asked: KeysAsked,
): Promise<ReadonlyMap<string, KeyState>> {
  return byName(asked, await readPlaces(redis, keys, placesOf(asked)));
}

/** The same, in the order of places. */
export function readPlaces(redis: RedisConnection, keys: LedgerKeys, places: readonly KeyPlace[]) {
  return keyStates(
    lookNow(redis, keysNow, (batch) => [textOf(batch)]),
    keys,
    places,
  );
}

/** Digests of the fields that the service last accepted; `''` or with `~` first: none known. */
export async function readKeyFields(
  redis: RedisConnection,
  keys: LedgerKeys,
  asked: KeysAsked,
): Promise<ReadonlyMap<string, string>> {
  const places = placesOf(asked).map((of) => fieldsPlace(keys, of));
  return byName(asked, await lookNow(redis, fieldsNow, argumentsOf)(places));
}

function placesOf({ names, ...of }: KeysAsked): KeyPlace[] {
  return names.map((key) => ({ ...of, key }));
}

function byName<Found>({ names }: KeysAsked, found: readonly Found[]): ReadonlyMap<string, Found> {
  return new Map(found.map((one, i) => [names[i] ?? '', one]));
}

const know = script(KNOW_CONTENT, z.number());
const RECORDS_PER_CALL = 200;

/**
 * A person's word on what the service has of records, which were changed by hand. `content`: as
 * `packContent` makes it. A key that is not known stays so. May run twice.
 */
export async function knowContent(
  redis: RedisConnection,
  keys: LedgerKeys,
  records: ReadonlyArray<KeyPlace & { readonly content: string }>,
): Promise<void> {
  for (const batch of batchesOf(records, RECORDS_PER_CALL)) {
    const args = batch.flatMap(({ content, ...of }) => {
      const { bucket, digest } = identityPlace(keys, of);
      return [bucket, digest, content];
    });
    await know(redis, [keys.audit], args);
  }
}
