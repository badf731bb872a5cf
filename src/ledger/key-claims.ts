/**
 * The identity ledgers: which row of which run has a key, and what became of it. Keys are claimed in file order while a file is read;
 * the same rows may be claimed again and get the same answers, so that two files with one key, at the same time, create it once.
 */

import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { KeyClaim, KeyState } from '../model/identity.ts';
import { type AlikeKey, alikeKeys, type KeyLikeness } from '../model/key-likeness.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import { fieldsPlace, identityOf, identityPlace, type LedgerKeys } from './keys.ts';
import { CLAIM, LOOK_ALIKE, LOOK_UP } from './lua/keys.ts';
import { script, withExceptions } from './script.ts';

const claim = inEpoch(CLAIM, z.tuple([z.string()]).rest(z.string()));

/** Longer than any run is gone on with. */
const RUN_SPACE_TTL_SECONDS = 90 * 24 * 3600;

/** What became of claims, and the epoch in which that is so: in a later one Redis may have lost them. */
export type Claimed = {
  readonly claims: readonly KeyClaim[];
  readonly epoch: string;
  /** By the place among the rows (0: the first): keys of other runs that look like those of rows that got theirs. */
  readonly alike: ReadonlyMap<number, KeyLikeness>;
};

/** Claims keys for rows in the order given; the same rows may be claimed again and get the same answers. */
export async function claimKeys(
  epoch: LedgerEpoch,
  keys: LedgerKeys,
  options: {
    readonly run: string;
    /** An identity ledger, or one that is of this run alone and ends with it. */
    readonly space: { readonly name: string; readonly ofRun: boolean };
    readonly rows: ReadonlyArray<{ readonly row: number; readonly key: string }>;
    /**
     * Whether keys of other runs are looked for that look like those of the rows, and with
     * `withCase` those that differ in case alone.
     */
    readonly alike?: { readonly withCase: boolean };
  },
): Promise<Claimed> {
  const { space, rows, alike: asked } = options;
  const ttl = space.ofRun ? RUN_SPACE_TTL_SECONDS : 0;
  const entries: (string | number)[] = [];
  for (const { row, key } of rows) {
    const { bucket, digest } = identityOf(key);
    entries.push(bucket, digest, row);
  }
  const others = asked === undefined || space.ofRun ? [] : rows.map(({ key }) => alikeKeys(key, asked));
  const [opened, ...answers] = await epoch.call(
    claim,
    [keys.identity(space.name)],
    [options.run, ttl, rows.length, ...entries, ...others.flatMap((all, i) => alikePlaces(i + 1, all))],
  );
  const parts = { usual: CLAIMED, parse: parseAnswer };
  const parsed = withExceptions<Answer>(answers, rows.length, parts);
  const alike = new Map<number, KeyLikeness>();
  const claims = parsed.map((answer, i): KeyClaim => {
    if (answer.kind !== 'alike') return answer;
    alike.set(i, answer);
    return CLAIMED;
  });
  return { claims, epoch: opened, alike };
}

function alikePlaces(n: number, others: readonly AlikeKey[]): (string | number)[] {
  return others.flatMap(({ key, code }) => {
    const { bucket, digest } = identityOf(key);
    return [n, LIKENESS_LETTER[code], bucket, digest];
  });
}

const LIKENESS_LETTER = { key_lookalike: 'L', key_case: 'C' } as const;

type Answer = KeyClaim | (KeyLikeness & { readonly kind: 'alike' });

const CLAIMED = { kind: 'claimed' } as const;

const LIKENESS = /^([LC]) (\S+) (\d+)$/;

function parseAnswer(answer: string): Answer {
  const likeness = parseLikeness(answer);
  return likeness === null ? parseObstacle(answer) : { kind: 'alike', ...likeness };
}

function parseLikeness(answer: string): KeyLikeness | null {
  const [, letter, run = '', row] = LIKENESS.exec(answer) ?? [];
  if (letter === undefined) return null;
  return { code: letter === 'L' ? 'key_lookalike' : 'key_case', run, row: Number(row) };
}

function parseObstacle(answer: string): KeyClaim {
  if (answer.startsWith('dup ')) return { kind: 'duplicate', row: Number(answer.slice('dup '.length)) };
  const state = parseKeyState(answer);
  if (state.kind === 'known') return { kind: 'known', run: state.run, id: state.id };
  if (state.kind === 'held') return state;
  throw new Error('an entry of the identity ledger can not be read');
}

const ENTRY = /^([ckdx]) (\S+) (\d+) (.*)$/s;

/** What an entry of the identity ledger says; `''`: there is none. */
export function parseKeyState(entry: string): KeyState {
  const [, kind, run = '', row, id = ''] = ENTRY.exec(entry) ?? [];
  const place = { run, row: Number(row) };
  switch (kind) {
    case 'k':
      return { kind: 'known', ...place, id };
    case 'c':
    case 'd':
      return { kind: 'held', ...place, inDoubt: kind === 'd' };
    case 'x':
      // Nobody had it: word of a key was left there that looks like it.
      return run === '-' ? { kind: 'free' } : { kind: 'given-back', ...place };
    default:
      return { kind: 'free' };
  }
}

const lookAlike = script(LOOK_ALIKE, z.array(z.string()));

/**
 * Which keys of other runs than `run` look like these, right now: what claims of them would answer, were they free. Changes
 * nothing.
 */
export async function readAlike(
  redis: RedisConnection,
  keys: LedgerKeys,
  asked: {
    readonly run: string;
    readonly space: string;
    readonly names: readonly string[];
  },
): Promise<ReadonlyMap<string, KeyLikeness>> {
  const { run, space, names } = asked;
  const found = new Map<string, KeyLikeness>();
  for (let at = 0; at < names.length; at += KEYS_PER_CALL) {
    const part = names.slice(at, at + KEYS_PER_CALL);
    const places = part.flatMap((key, i) => {
      return alikePlaces(i, [{ key, code: 'key_lookalike' }, ...alikeKeys(key, { withCase: true })]);
    });
    const answers = await lookAlike(redis, [], [run, keys.identity(space), ...places]);
    for (let i = 0; i + 1 < answers.length; i += 2) {
      const likeness = parseLikeness(answers[i + 1] ?? '');
      if (likeness !== null) found.set(part[Number(answers[i])] ?? '', likeness);
    }
  }
  return found;
}

const lookUp = script(LOOK_UP, z.array(z.string()));
const KEYS_PER_CALL = 500;

/**
 * What the identity ledger `space` says of keys right now, for a person who asks; what is decided by it has to ask through
 * the epoch (ChunkLedger.readKey).
 */
export async function readKeys(
  redis: RedisConnection,
  keys: LedgerKeys,
  space: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, KeyState>> {
  const entries = await lookUpAll(redis, names, (key) => identityPlace(keys, { space, key }));
  return new Map(names.map((name, i) => [name, parseKeyState(entries[i] ?? '')]));
}

/** The digests of the fields that the service last accepted for the records of these keys, as `ChunkLedger.readFields` has them. */
export async function readKeyFields(
  redis: RedisConnection,
  keys: LedgerKeys,
  space: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await lookUpAll(redis, names, (key) => fieldsPlace(keys, { space, key }));
  return new Map(names.map((name, i) => [name, found[i] ?? '']));
}

async function lookUpAll(
  redis: RedisConnection,
  names: readonly string[],
  placeOf: (key: string) => ReturnType<typeof identityPlace>,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let at = 0; at < names.length; at += KEYS_PER_CALL) {
    const places = names.slice(at, at + KEYS_PER_CALL).map(placeOf);
    const args = places.flatMap(({ bucket, digest }) => [bucket, digest]);
    found.push(...(await lookUp(redis, [], args)));
  }
  return found;
}
