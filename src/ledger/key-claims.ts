import { z } from 'zod';
import type { KeyClaim } from '../model/identity.ts';
import { withExceptions } from './exceptions.ts';
import { gated, type LedgerGate } from './gate.ts';
import { identityOf, type LedgerKeys } from './keys.ts';
import { CLAIM } from './lua/claim.ts';
import { parseKeyState } from './read-keys.ts';

const claim = gated(CLAIM, z.array(z.string()));

/** Longer than any run is gone on with. */
const RUN_SPACE_TTL_SECONDS = 90 * 24 * 3600;

/** Claims keys for rows in the order given; the same rows may be claimed again and get the same answers. */
export async function claimKeys(
  gate: LedgerGate,
  keys: LedgerKeys,
  options: {
    readonly run: string;
    /** An identity ledger, or one that is of this run alone and ends with it. */
    readonly space: { readonly name: string; readonly ofRun: boolean };
    readonly rows: ReadonlyArray<{ readonly row: number; readonly key: string }>;
  },
): Promise<KeyClaim[]> {
  if (options.rows.length === 0) return [];
  const { space } = options;
  const ttl = space.ofRun ? RUN_SPACE_TTL_SECONDS : 0;
  const entries: (string | number)[] = [];
  for (const { row, key } of options.rows) {
    const { bucket, digest } = identityOf(key);
    entries.push(bucket, digest, row);
  }
  const answers = await gate.call(claim, [keys.identity(space.name)], [options.run, ttl, ...entries]);
  return withExceptions<KeyClaim>(answers, options.rows.length, { usual: CLAIMED, parse: parseObstacle });
}

const CLAIMED = { kind: 'claimed' } as const;

function parseObstacle(answer: string): KeyClaim {
  if (answer.startsWith('dup ')) return { kind: 'duplicate', row: Number(answer.slice('dup '.length)) };
  const state = parseKeyState(answer);
  if (state.kind === 'known') return { kind: 'known', run: state.run, id: state.id };
  if (state.kind === 'held') return state;
  throw new Error('an entry of the identity ledger can not be read');
}
