/**
 * The identity ledgers: which row of which run has a key, and what became of it. Keys are claimed
 * in file order while a file is read; the same rows may be claimed again and get the same answers,
 * so that two files with one key, at the same time, create it once.
 */

import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { KeyClaim, KeyState } from '../model/identity.ts';
import type { KeyForm } from '../model/key-form.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import {
  fieldsOf,
  fieldsPlace,
  identityOf,
  identityPlace,
  type KeyPlace,
  type LedgerKeys,
  type Place,
} from './keys.ts';
import { CLAIM, LOOK_UP } from './lua/keys.ts';
import { script, withExceptions } from './script.ts';

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
    const { bucket, digest } = identityOf(key, form);
    entries.push(bucket, digest, row);
  }
  const ttl = space.ofRun ? RUN_SPACE_TTL_SECONDS : 0;
  const [opened, ...answers] = await epoch.call(claim, [keys.identity(space.name)], [run, ttl, ...entries]);
  const parts = { usual: CLAIMED, parse: (answer: string) => parseObstacle(answer, run) };
  return { claims: withExceptions<KeyClaim>(answers, rows.length, parts), epoch: opened };
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

/** What is asked for to know the state of a key: two entries, of its form and of its text. */
export function keyFields(keys: LedgerKeys, of: KeyPlace): readonly [Place, Place] {
  const { bucket, digest } = identityPlace(keys, of);
  const { ofForm, ofText } = fieldsOf({ bucket, digest });
  return [
    { bucket, digest: ofForm },
    { bucket, digest: ofText },
  ];
}

/** What the entries of `keyFields` say of the key. */
export function keyStateIn(of: KeyPlace, ofForm: string, ofText: string): KeyState {
  const { text, isExact } = fieldsOf(of.place ?? identityOf(of.key, of.form));
  const own = parseEntry(ofText);
  if (isTaken(own)) return own;
  const state = parseEntry(ofForm);
  const isSame = ofForm.slice(1).startsWith(`${text} `);
  if (isExact) return isSame && isTaken(state) ? state : own;
  return isSame || !isTaken(state) ? state : { ...state, alike: true };
}

function isTaken(state: KeyState): state is Extract<KeyState, { kind: 'known' | 'held' }> {
  return state.kind === 'known' || state.kind === 'held';
}

const lookUp = script(LOOK_UP, z.array(z.string()));
const KEYS_PER_CALL = 500;

/** Keys of one identity ledger, as a job compares them. */
export type KeysAsked = {
  readonly space: string;
  readonly form?: KeyForm | undefined;
  readonly names: readonly string[];
};

/**
 * What an identity ledger says of keys right now, for a person who asks; what is decided by it has
 * to ask through the epoch (ChunkLedger.readKey).
 */
export async function readKeys(
  redis: RedisConnection,
  keys: LedgerKeys,
  { names, ...of }: KeysAsked,
): Promise<ReadonlyMap<string, KeyState>> {
  const entries = await lookUpAll(redis, names, (key) => keyFields(keys, { ...of, key }));
  return new Map(
    names.map((key, i) => [key, keyStateIn({ ...of, key }, entries[2 * i] ?? '', entries[2 * i + 1] ?? '')]),
  );
}

/**
 * The digests of the fields that the service last accepted, as `ChunkLedger.readFields` has them.
 */
export async function readKeyFields(
  redis: RedisConnection,
  keys: LedgerKeys,
  { names, ...of }: KeysAsked,
): Promise<ReadonlyMap<string, string>> {
  const found = await lookUpAll(redis, names, (key) => [fieldsPlace(keys, { ...of, key })]);
  return new Map(names.map((name, i) => [name, found[i] ?? '']));
}

async function lookUpAll(
  redis: RedisConnection,
  names: readonly string[],
  placesOf: (key: string) => readonly Place[],
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = 0; at < names.length; at += KEYS_PER_CALL) {
    const places = names.slice(at, at + KEYS_PER_CALL).flatMap(placesOf);
    const args = places.flatMap(({ bucket, digest }) => [bucket, digest]);
    found.push(...(await lookUp(redis, [], args)));
  }
  return found;
}
