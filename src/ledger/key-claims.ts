/**
 * The identity ledgers: which row of which run has a key, and what became of it. Keys are claimed
 * in file order while a file is read; the same rows may be claimed again and get the same answers,
 * so that two files with one key, at the same time, create it once.
 */

import { z } from 'zod';
import { batchesOf } from '../lib/batches.ts';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { KeyClaim, KeyState } from '../model/identity.ts';
import type { KeyForm } from '../model/key-form.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import {
  fieldsPlace,
  identityOf,
  identityPlace,
  type KeyPlace,
  type LedgerKeys,
  type Place,
  textOf,
} from './keys.ts';
import { CLAIM, LOOK_UP, LOOK_UP_KEYS } from './lua/keys.ts';
import { script } from './script.ts';

const claim = inEpoch(CLAIM, z.tuple([z.string()]).rest(z.string()));

/** Longer than any run is gone on with. */
const RUN_SPACE_TTL_SECONDS = 90 * 24 * 3600;

/** What became of claims, in that epoch: in a later one Redis may have lost them. */
export type Claimed = { readonly claims: readonly KeyClaim[]; readonly epoch: string };

export async function claimKeys(
  epoch: LedgerEpoch,
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
  const [opened, ...answers] = await epoch.call(claim, [keys.identity(space.name)], [run, ttl, ...entries]);
  const claims = rows.map((): KeyClaim => CLAIMED);
  for (let i = 0; i + 1 < answers.length; i += 2)
    claims[Number(answers[i]) - 1] = parseObstacle(answers[i + 1] ?? '', run);
  return { claims, epoch: opened };
}

const CLAIMED = { kind: 'claimed' } as const;
const ALIKE = /^alike (\S+) (\d+)$/;

function parseObstacle(answer: string, own: string): KeyClaim {
  if (answer.startsWith('dup ')) return { kind: 'duplicate', row: Number(answer.slice('dup '.length)) };
  const [, run = '', row] = ALIKE.exec(answer) ?? [];
  if (row !== undefined) return { kind: 'alike', run: run === own ? null : run, row: Number(row) };
  const state = parseEntry(answer);
  if (state.kind === 'known') return { kind: 'known', run: state.run, id: state.id };
  if (state.kind === 'held') return state;
  throw new Error('an entry of the identity ledger can not be read');
}

const ENTRY = /^([ckdx])\S* (\S+) (\d+) (.*)$/s;

/** What an entry of the identity ledger says; `''`: there is none. */
function parseEntry(entry: string): KeyState {
  const [, kind, run = '', row, id = ''] = ENTRY.exec(entry) ?? [];
  const place = { run, row: Number(row) };
  switch (kind) {
    case 'k':
      return { kind: 'known', ...place, id };
    case 'c':
    case 'd':
      return { kind: 'held', ...place, inDoubt: kind === 'd' };
    case 'x':
      // Nobody had it: an exact job left word there.
      return run === '-' ? { kind: 'free' } : { kind: 'given-back', ...place };
    default:
      return { kind: 'free' };
  }
}

/** Reads what is known of places. */
type Look = (places: readonly Place[]) => Promise<readonly string[]>;

const texts = z.array(z.string());
const [fieldsInEpoch, keysInEpoch] = [inEpoch(LOOK_UP, texts), inEpoch(LOOK_UP_KEYS, texts)];
const [fieldsNow, keysNow] = [script(LOOK_UP, texts), script(LOOK_UP_KEYS, texts)];
const PLACES_PER_CALL = 1000;

/** For what is decided by it. */
export function looksInEpoch(epoch: LedgerEpoch): { readonly fields: Look; readonly keys: Look } {
  return {
    fields: (places) => epoch.read(fieldsInEpoch, [], argumentsOf(places)),
    keys: (places) => epoch.read(keysInEpoch, [], argumentsOf(places)),
  };
}

function lookNow(redis: RedisConnection, look: typeof keysNow): Look {
  return async (places) => {
    const found: string[] = [];
    // A cluster sends a script without keys to any node.
    for (const batch of batchesOf(places, PLACES_PER_CALL))
      found.push(...(await look(redis, [batch[0]?.bucket ?? ''], argumentsOf(batch))));
    return found;
  };
}

function argumentsOf(places: readonly Place[]): string[] {
  return places.flatMap(({ bucket, digest }) => [bucket, digest]);
}

export async function keyStates(
  look: Look,
  keys: LedgerKeys,
  asked: readonly KeyPlace[],
): Promise<KeyState[]> {
  const places = asked.map((of) => identityPlace(keys, of));
  const found = await look(places);
  return places.map((place, i) => keyStateIn(found[i] ?? '', place));
}

function keyStateIn(entry: string, place: Place): KeyState {
  const state = parseEntry(entry);
  const isTaken = state.kind === 'known' || state.kind === 'held';
  return isTaken && !entry.startsWith(`${textOf(place)} `, 1) ? { ...state, alike: true } : state;
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

export function readPlaces(redis: RedisConnection, keys: LedgerKeys, places: readonly KeyPlace[]) {
  return keyStates(lookNow(redis, keysNow), keys, places);
}

/** Digests of the fields that the service last accepted; `''` or with `~` first: unknown. */
export async function readKeyFields(
  redis: RedisConnection,
  keys: LedgerKeys,
  asked: KeysAsked,
): Promise<ReadonlyMap<string, string>> {
  const places = placesOf(asked).map((of) => fieldsPlace(keys, of));
  return byName(asked, await lookNow(redis, fieldsNow)(places));
}

function placesOf({ names, ...of }: KeysAsked): KeyPlace[] {
  return names.map((key) => ({ ...of, key }));
}

function byName<Found>({ names }: KeysAsked, found: readonly Found[]): ReadonlyMap<string, Found> {
  return new Map(found.map((one, i) => [names[i] ?? '', one]));
}
