/**
 * The identity ledgers: which row of which run has a key, and what became of it. Keys are claimed in file order while a file is read;
 * the same rows may be claimed again and get the same answers, so that two files with one key, at the same time, create it once.
 */

import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { KeyClaim, KeyState } from '../model/identity.ts';
import { inEpoch, type LedgerEpoch } from './epoch.ts';
import { identityOf, identityPlace, type LedgerKeys } from './keys.ts';
import { CLAIM, LOOK_UP } from './lua/keys.ts';
import { script, withExceptions } from './script.ts';

const claim = inEpoch(CLAIM, z.tuple([z.string()]).rest(z.string()));

/** Longer than any run is gone on with. */
const RUN_SPACE_TTL_SECONDS = 90 * 24 * 3600;

/** What became of claims, and the epoch in which that is so: in a later one Redis may have lost them. */
export type Claimed = { readonly claims: readonly KeyClaim[]; readonly epoch: string };

/** Claims keys for rows in the order given; the same rows may be claimed again and get the same answers. */
export async function claimKeys(
  epoch: LedgerEpoch,
  keys: LedgerKeys,
  options: {
    readonly run: string;
    /** An identity ledger, or one that is of this run alone and ends with it. */
    readonly space: { readonly name: string; readonly ofRun: boolean };
    readonly rows: ReadonlyArray<{ readonly row: number; readonly key: string }>;
  },
): Promise<Claimed> {
  const { space } = options;
  const ttl = space.ofRun ? RUN_SPACE_TTL_SECONDS : 0;
  const entries: (string | number)[] = [];
  for (const { row, key } of options.rows) {
    const { bucket, digest } = identityOf(key);
    entries.push(bucket, digest, row);
  }
  const [opened, ...answers] = await epoch.call(
    claim,
    [keys.identity(space.name)],
    [options.run, ttl, ...entries],
  );
  const parts = { usual: CLAIMED, parse: parseObstacle };
  return { claims: withExceptions<KeyClaim>(answers, options.rows.length, parts), epoch: opened };
}

const CLAIMED = { kind: 'claimed' } as const;

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
      return { kind: 'given-back', ...place };
    default:
      return { kind: 'free' };
  }
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
  const states = new Map<string, KeyState>();
  for (let at = 0; at < names.length; at += KEYS_PER_CALL) {
    const part = names.slice(at, at + KEYS_PER_CALL);
    const entries = await lookUp(redis, [], lookUpArguments(keys, space, part));
    for (const [i, name] of part.entries()) states.set(name, parseKeyState(entries[i] ?? ''));
  }
  return states;
}

/** ARGV of the script LOOK_UP for keys of one space. */
function lookUpArguments(keys: LedgerKeys, space: string, names: readonly string[]): string[] {
  return names.flatMap((key) => {
    const { bucket, digest } = identityPlace(keys, { space, key });
    return [bucket, digest];
  });
}
