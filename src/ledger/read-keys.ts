import { z } from 'zod';
import type { RedisConnection } from '../lib/redis-connection.ts';
import type { KeyState } from '../model/identity.ts';
import type { LedgerKeys } from './keys.ts';
import { LOOK_UP } from './lua/look-up.ts';
import { script } from './script.ts';
import { identityPlace } from './settle-entry.ts';

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
 * the gate (ChunkLedger.readKeys).
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
export function lookUpArguments(keys: LedgerKeys, space: string, names: readonly string[]): string[] {
  return names.flatMap((key) => {
    const { bucket, digest } = identityPlace(keys, { space, key });
    return [bucket, digest];
  });
}
