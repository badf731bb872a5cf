/**
 * Who has logged in. A session is 256 random bits in the browser's cookie and only their digest here, in memory: it ends with the page,
 * after 8 hours without a sign of somebody, after a day, or with the person's token. Nobody gets in without a token or a key that was just
 * printed; whoever guesses is told the same for every failure, and is soon told to wait.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import { shortDigest } from '../lib/digest.ts';
import { createRecentMap } from '../lib/recent.ts';
import type { Visitor } from '../model/ask.ts';
import type { WebAccess } from './access.ts';
import { WHOLE_DIGEST } from './people.ts';

type SessionOptions = Pick<WebAccess, 'sharedToken' | 'people'> & {
  /** Milliseconds that never go back. */
  now(): number;
};

/** What somebody brings: a token, or the key of a link; `name`: who they say they are. */
type Credential = { readonly secret: string; readonly name: string };

type Entered =
  | { readonly kind: 'in'; readonly cookie: string }
  | { readonly kind: 'refused' }
  /** Too many tries. */
  | { readonly kind: 'later' };

/** `token`: the digest of the person's own token; `null`: the session came by the shared token or a key. */
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
  /** Keys that were printed and not used, by their digests. */
  const keys = new Map<string, Key>();
  const perAddress = new RateLimiterMemory(PER_ADDRESS);
  const inAll = new RateLimiterMemory(IN_ALL);

  async function whose({ secret, name }: Credential): Promise<Found | null> {
    const digest = digestOf(secret);
    const key = keys.get(digest);
    keys.delete(digest);
    if (key !== undefined)
      return now() > key.ends ? null : { visitor: { name: key.name, role: 'operator' }, token: null };
    const person = (await people()).find((one) => isSame(one.digest, digest));
    if (person !== undefined)
      return { visitor: { name: person.name, role: person.role }, token: person.digest };
    if (sharedToken === null || !isSameSecret(sharedToken, secret)) return null;
    return { visitor: { name: claimed(name), role: 'operator' }, token: null };
  }

  function begin(found: Found): string {
    const cookie = randomBytes(32).toString('base64url');
    sessions.set(digestOf(cookie), { ...found, since: now(), seen: now() });
    return cookie;
  }

  function isOver({ since, seen }: Session): boolean {
    return now() - seen > IDLE_MS || now() - since > LONGEST_MS;
  }

  /** A person who was removed, or has another token or role, is out. */
  async function isKnown({ token, visitor }: Session): Promise<boolean> {
    if (token === null) return true;
    return (await people()).some(({ digest, role }) => digest === token && role === visitor.role);
  }

  async function mayTry(address: string): Promise<boolean> {
    try {
      await perAddress.consume(address);
      await inAll.consume(EVERYBODY);
      return true;
    } catch (error) {
      // The limiter throws its count where there were too many.
      if (error instanceof Error) throw error;
      return false;
    }
  }

  return {
    /** A key that lets one person in once, soon, as an operator of that name. */
    newKey(name: string): string {
      const key = randomBytes(32).toString('base64url');
      keys.set(digestOf(key), { name, ends: now() + KEY_MS });
      return key;
    },
    /** `address`: where it comes from; who gets in has guessed nothing. */
    async enter(given: Credential, address: string): Promise<Entered> {
      if (!(await mayTry(address))) return { kind: 'later' };
      const found = await whose(given);
      if (found === null) return { kind: 'refused' };
      await perAddress.reward(address);
      await inAll.reward(EVERYBODY);
      return { kind: 'in', cookie: begin(found) };
    },
    /** Whose session it is; `null`: nobody's any more. `isSign`: somebody did something, and it was no page that looked by itself. */
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
    /** Somebody whom a proxy has logged in: with the role of the person of that name, or else one who looks. */
    async visitorNamed(name: string): Promise<Visitor> {
      const person = (await people()).find((one) => one.name === name);
      return { name, role: person?.role ?? 'viewer' };
    },
    leave(cookie = ''): void {
      sessions.delete(digestOf(cookie));
    },
  };
}

/** Nobody's own token has vouched for the name: it must not look as if. */
function claimed(name: string): string {
  return SOMEBODY.test(name) ? `${name} (as claimed)` : 'operator (no name)';
}

function digestOf(text: string): string {
  return shortDigest(text, WHOLE_DIGEST);
}

/** In a time that says nothing of how much of it is right. */
export function isSameSecret(given: string, secret: string): boolean {
  return isSame(digestOf(given), digestOf(secret));
}

function isSame(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
