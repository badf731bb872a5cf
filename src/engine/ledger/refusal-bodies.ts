/**
 * The bodies of a run's refusals: equal ones are kept once, by their digest. Of those of one cause
 * that are larger than a part, the first so many are kept whole, of each other one its beginning: a
 * service that answers every row with another page must not fill Redis.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { createRecentMap } from '../../lib/recent.ts';
import type { Seal } from '../../lib/seal.ts';
import { packBody, type RefusalBody, type Settlement, unpackBody } from '../../model/settlement.ts';
import type { LedgerKeys } from './keys.ts';
import { protocol } from './protocol.ts';

const PART_BYTES = 1024;

/** A text by its digest; left out where Redis has it. */
type ToldText = { readonly digest: string; readonly text?: string | undefined };

export type ToldBody = ToldText & {
  /** Of a large one: what is kept where too many of its cause are. */
  readonly part?: ToldText | undefined;
  readonly cause: string;
};

type Refused = Pick<Settlement, 'outcome' | 'code'> & { readonly body: string };
type Telling = { readonly keys: Pick<LedgerKeys, 'sealing'>; readonly seal: Seal };

export type BodyTeller = ReturnType<typeof createBodyTeller>;

/** Forgetting costs no more than sending a text again. */
const TEXTS_REMEMBERED = 1_000;
const DIGEST_CHARACTERS = 16;

/** Knows what this process has told Redis, so that a page goes there once, not with every row. */
export function createBodyTeller(run: string) {
  const known = createRecentMap<string, true>(TEXTS_REMEMBERED);
  const wholes = new Map<string, number>();
  return {
    /** What to tell of each row of a command, in this order. */
    begin({ keys, seal }: Telling): (row: Refused) => ToldBody | undefined {
      const here = new Set<string>();
      const once = (packed: string, isWanted = true): ToldText => {
        // Salted by the run: equal answers of two runs don't show.
        const digest = keys.sealing.digest(`${run} ${packed}`, DIGEST_CHARACTERS);
        if (!isWanted || known.has(digest) || here.has(digest)) return { digest };
        here.add(digest);
        return { digest, text: boxOf(packed, digest, seal) };
      };
      return ({ outcome, code, body }) => {
        if (body === '') return undefined;
        const cause = `${outcome} ${code}`;
        const part = partOf(body);
        if (part === null) return { ...once(body), cause };
        const hasRoom = (wholes.get(cause) ?? 0) < protocol.wholeBodies;
        return { ...once(body, hasRoom), part: once(part), cause };
      };
    },
    /** They are in Redis. */
    told(bodies: readonly ToldBody[]): void {
      for (const { digest, text, part, cause } of bodies) {
        if (text !== undefined) known.set(digest, true);
        if (part === undefined) continue;
        if (text !== undefined) wholes.set(cause, (wholes.get(cause) ?? 0) + 1);
        known.set(part.digest, true);
      }
    },
  };
}

/** The packed body's beginning, with how much followed; `null`: it is small. */
function partOf(packed: string): string | null {
  // A character has at most three bytes for each of its units.
  if (packed.length * 3 <= PART_BYTES) return null;
  const { text, restBytes } = unpackBody(packed);
  const bytes = Buffer.from(text);
  if (bytes.length <= PART_BYTES) return null;
  let end = PART_BYTES;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return packBody({ text: bytes.toString('utf8', 0, end), restBytes: restBytes + bytes.length - end });
}

/** Base64 of the deflated body, which a seal closes. */
function boxOf(packed: string, digest: string, seal: Seal): string {
  return seal.bytes(placeOf(digest), deflateRawSync(packed)).toString('base64');
}

export function openBody(box: string, digest: string, seal: Seal): RefusalBody {
  const bytes = seal.openBytes(placeOf(digest), Buffer.from(box, 'base64'));
  return { ...unpackBody(inflateRawSync(bytes).toString('utf8')), digest };
}

function placeOf(digest: string): string {
  return `bodies ${digest}`;
}
