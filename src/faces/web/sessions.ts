/**
 * Who has logged in. A session is 256 random bits in the browser's cookie and their digest here, in
 * memory: it ends with the page, after 8 hours without a sign of the person, after a day, or with
 * the person's token. Only a token or a printed key lets anybody in; every failure reads the same,
 * and many of them mean a wait.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { shortDigest } from '../../lib/digest.ts';
import { createRecentMap } from '../../lib/recent.ts';
import type { Visitor } from '../../model/ask.ts';
import type { WebAccess } from './access.ts';
import { WHOLE_DIGEST } from './people.ts';

type SessionOptions = Pick<WebAccess, 'sharedToken' | 'people'> & {
  /** Ms of a monotonic clock. */
  now(): number;
};

/** A token, or a link's key; `name`: who they say they are. */
type Credential = { readonly secret: string; readonly name: string };

type Entered =
  | { readonly kind: 'in'; readonly visitor: Visitor; readonly cookie: string }
  | { readonly kind: 'refused' }
  | { readonly kind: 'later' };

/** `token`: digest of the person's own token; `null`: by the shared token or a key. */
type Found = { readonly visitor: Visitor; readonly token: string | null };
type Session = Found & { readonly since: number; seen: number };
type Key = { readonly name: string; readonly ends: number };

const IDLE_MS = 8 * 3_600_000;
const LONGEST_MS = 24 * 3_600_000;
const KEY_MS = 10 * 60_000;
const MOST_SESSIONS = 1_000;
const SOMEBODY = /^[\p{L}\p{N}][\p{L}\p{N} ._@-]{0,63}$/u;
const PER_ADDRESS = { points: 10, duration: 60 };
const IN_ALL = { points: 100, duration: 60 };
const EVERYBODY = 'all';

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions({ sharedToken, people, now }: SessionOptions) {
  const sessions = createRecentMap<string, Session>(MOST_SESSIONS);
  const keys = createKeys(now);
  const tries = createTries();

  async function whose({ secret, name }: Credential): Promise<Found | null> {
    const digest = digestOf(secret);
    const key = keys.take(digest);
    if (key === 'expired') return null;
    if (key !== null) return { visitor: { name: key.name, role: 'operator' }, token: null };

    const person = (await people()).find((one) => isSame(one.digest, digest));
    if (person?.maker !== undefined) return null;
    if (person !== undefined) {
      return { visitor: { name: person.name, role: person.role }, token: person.digest };
    }

    if (sharedToken === null || !isSameSecret(sharedToken, secret)) return null;
    return { visitor: { name: claimed(name), role: 'operator' }, token: null };
  }

  function begin(found: Found): string {
    const cookie = newSecret();
    sessions.set(digestOf(cookie), { ...found, since: now(), seen: now() });
    return cookie;
  }

  function isOver({ since, seen }: Session): boolean {
    return now() - seen > IDLE_MS || now() - since > LONGEST_MS;
  }

  /** A removed person, or one with another token or role, is out. */
  async function isKnown({ token, visitor }: Session): Promise<boolean> {
    if (token === null) return true;
    return (await people()).some(({ digest, role }) => digest === token && role === visitor.role);
  }

  return {
    newKey: keys.add,
    /** `address`: where it comes from; a success is no guess. */
    async enter(given: Credential, address: string): Promise<Entered> {
      if (!(await tries.take(address))) return { kind: 'later' };
      const found = await whose(given);
      if (found === null) return { kind: 'refused' };
      await tries.giveBack(address);
      return { kind: 'in', visitor: found.visitor, cookie: begin(found) };
    },
    /** `isSign`: the person did something, not the page by itself. */
    async visitorOf(cookie = '', { isSign }: { readonly isSign: boolean }): Promise<Visitor | null> {
      const id = digestOf(cookie);
      const session = sessions.get(id);
      if (session === undefined) return null;
      if (isOver(session) || !(await isKnown(session))) {
        sessions.delete(id);
        return null;
      }
      if (isSign) session.seen = now();
      return session.visitor;
    },
    /** By a proxy: with the role of the person of that name, else a viewer. */
    async visitorNamed(name: string): Promise<Visitor> {
      const person = (await people()).find((one) => one.name === name && one.maker === undefined);
      return { name, role: person?.role ?? 'viewer' };
    },
    leave(cookie = ''): void {
      sessions.delete(digestOf(cookie));
    },
  };
}

/** Printed and unused keys, by their digests. */
function createKeys(now: SessionOptions['now']) {
  const keys = new Map<string, Key>();
  return {
    /** Lets one person in as an operator of that name, once, soon. */
    add(name: string): string {
      const key = newSecret();
      keys.set(digestOf(key), { name, ends: now() + KEY_MS });
      return key;
    },
    /** `null`: no such key. */
    take(digest: string): Key | 'expired' | null {
      const key = keys.get(digest);
      keys.delete(digest);
      if (key === undefined) return null;
      return now() > key.ends ? 'expired' : key;
    },
  };
}

/** Of guesses at a token. */
export function createTries() {
  const perAddress = new RateLimiterMemory(PER_ADDRESS);
  const inAll = new RateLimiterMemory(IN_ALL);
  return {
    /** Answers whether one is left. */
    async take(address: string): Promise<boolean> {
      try {
        await perAddress.consume(address);
        await inAll.consume(EVERYBODY);
        return true;
      } catch (error) {
        // After too many tries the limiter throws its count.
        if (error instanceof Error) throw error;
        return false;
      }
    },
    async giveBack(address: string): Promise<void> {
      await perAddress.reward(address);
      await inAll.reward(EVERYBODY);
    },
  };
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** No token of its own vouches for the name, and it must look so. */
function claimed(name: string): string {
  return SOMEBODY.test(name) ? `${name} (as claimed)` : 'operator (no name)';
}

export function digestOf(text: string): string {
  return shortDigest(text, WHOLE_DIGEST);
}

/** In constant time. */
export function isSameSecret(given: string, secret: string): boolean {
  return isSame(digestOf(given), digestOf(secret));
}

export function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
