/**
 * Who has logged in. A session is 256 random bits in the browser's cookie and only their digest here, in memory: it ends with the page, after
 * 8 hours without a sign, after a day, or with the person's token. Nobody gets in without a token or a key that was just printed; whoever
 * guesses is told the same for every failure, and is soon told to wait.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { shortDigest } from '../lib/digest.ts';
import type { Visitor } from '../model/ask.ts';
import { type Person, WHOLE_DIGEST } from './people.ts';

export type SessionSettings = {
  /** An operator's, whose name is asked for; `null`: there is none. */
  readonly sharedToken: string | null;
  people(): Promise<readonly Person[]>;
  readonly now: () => number;
};

/** How somebody wants to get in. */
export type Credential =
  | { readonly kind: 'key'; readonly key: string; readonly name: string }
  | { readonly kind: 'token'; readonly token: string; readonly name: string };

export type Entered =
  | { readonly kind: 'in'; readonly cookie: string }
  | { readonly kind: 'refused' }
  /** Too many tries. */
  | { readonly kind: 'later'; readonly seconds: number };

type Session = {
  readonly visitor: Visitor;
  /** The digest of the person's token; `null`: it came by the shared token or a key. */
  readonly token: string | null;
  readonly since: number;
  seen: number;
};

const IDLE_MS = 8 * 3_600_000;
const LONGEST_MS = 24 * 3_600_000;
const KEY_MS = 10 * 60_000;
/** How long a look at the people holds. */
const LOOKED_MS = 5_000;
const MOST_SESSIONS = 1_000;
const SOMEBODY = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;
const PER_ADDRESS = { points: 10, duration: 60 };
const IN_ALL = { points: 100, duration: 60 };

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ sharedToken, people, now }: SessionSettings) {
  const sessions = new Map<string, Session>();
  /** Keys that were printed and not used, by their digests, with the time when they end. */
  const keys = new Map<string, number>();
  const perAddress = new RateLimiterMemory(PER_ADDRESS);
  const inAll = new RateLimiterMemory(IN_ALL);
  let looked = { at: Number.NEGATIVE_INFINITY, tokens: new Set<string>() };

  async function whose(given: Credential): Promise<Pick<Session, 'visitor' | 'token'> | null> {
    const name = SOMEBODY.test(given.name) ? given.name : 'operator';
    if (given.kind === 'key') {
      const ends = keys.get(digestOf(given.key));
      keys.delete(digestOf(given.key));
      return ends === undefined || ends < now() ? null : { visitor: { name, role: 'operator' }, token: null };
    }
    const digest = digestOf(given.token);
    const person = (await people()).find((one) => isSame(one.digest, digest));
    if (person !== undefined)
      return { visitor: { name: person.name, role: person.role }, token: person.digest };
    if (sharedToken === null || !isSame(digestOf(sharedToken), digest)) return null;
    return { visitor: { name, role: 'operator' }, token: null };
  }

  function begin(found: Pick<Session, 'visitor' | 'token'>): string {
    for (const [id, { since, seen }] of sessions) if (isOver({ since, seen })) sessions.delete(id);
    const [oldest] = sessions.keys();
    if (sessions.size >= MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    const cookie = randomBytes(32).toString('base64url');
    sessions.set(digestOf(cookie), { ...found, since: now(), seen: now() });
    return cookie;
  }

  function isOver({ since, seen }: Pick<Session, 'since' | 'seen'>): boolean {
    return now() - seen > IDLE_MS || now() - since > LONGEST_MS;
  }

  /** A person whose token is gone, or is another one, is out. */
  async function isKnown(token: string | null): Promise<boolean> {
    if (token === null) return true;
    if (now() - looked.at > LOOKED_MS)
      looked = { at: now(), tokens: new Set((await people()).map(({ digest }) => digest)) };
    return looked.tokens.has(token);
  }

  return {
    /** A key that lets one person in once, soon. */
    newKey(): string {
      const key = randomBytes(32).toString('base64url');
      keys.set(digestOf(key), now() + KEY_MS);
      return key;
    },
    /** `address`: where it comes from. */
    async enter(given: Credential, address: string): Promise<Entered> {
      try {
        await Promise.all([perAddress.consume(address), inAll.consume('all')]);
      } catch (error) {
        if (error instanceof Error) throw error;
        return { kind: 'later', seconds: IN_ALL.duration };
      }
      const found = await whose(given);
      return found === null ? { kind: 'refused' } : { kind: 'in', cookie: begin(found) };
    },
    /** Whose session it is; `null`: nobody's any more. */
    async visitorOf(cookie: string | undefined): Promise<Visitor | null> {
      const id = digestOf(cookie ?? '');
      const session = sessions.get(id);
      if (session === undefined) return null;
      if (isOver(session) || !(await isKnown(session.token))) {
        sessions.delete(id);
        return null;
      }
      session.seen = now();
      return session.visitor;
    },
    leave(cookie: string | undefined): void {
      sessions.delete(digestOf(cookie ?? ''));
    },
  };
}

function digestOf(text: string): string {
  return shortDigest(text, WHOLE_DIGEST);
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
