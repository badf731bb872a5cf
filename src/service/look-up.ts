import pRetry from 'p-retry';
import type { LookupSettings } from '../config/lookup-settings.ts';
import { sleep } from '../lib/waiting.ts';
import type { ServiceClient } from './attempt.ts';
import type { Credentials } from './credentials.ts';
import { judgeLookUp, type LookUpVerdict, type Sighting } from './judge-look-up.ts';

/** What the service knows of the key; `null` where the asking was broken off or the token is refused: nothing is known. */
export type LookUp = (key: string, signal: AbortSignal) => Promise<Sighting | null>;

export type LookUpEdges = {
  readonly settings: LookupSettings;
  readonly client: Pick<ServiceClient, 'attempt'>;
  readonly credentials: Pick<Credentials, 'current' | 'refresh'>;
  /** Resolves when one more request may go. */
  waitForRate(signal: AbortSignal): Promise<void>;
  /** Milliseconds to wait before the attempt after the `attempt`-th. */
  backoffMs(attempt: number): number;
};

type Asking = LookUpEdges & { readonly refused: AbortController };

const ATTEMPTS = 4;
/** A service that wishes for more than this is asked another day. */
const MAX_WAIT_MS = 30_000;

class TryAgain extends Error {
  override readonly name = 'TryAgain';
  readonly why: string;
  readonly afterMs: number | null;
  constructor({ why, afterMs }: Extract<LookUpVerdict, { kind: 'retry' }>) {
    super(why);
    this.why = why;
    this.afterMs = afterMs;
  }
}

/** Asks the service for records by key (the setting `lookup`): a GET, so it is tried a few times. */
export function createLookUp(given: LookUpEdges): LookUp {
  const refused = new AbortController();
  const edges: Asking = { ...given, refused };
  return async (key, given) => {
    // Once the token is refused, nobody is asked again: each new token costs a reading of its source.
    const signal = AbortSignal.any([given, refused.signal]);
    const path = lookUpPath(edges.settings.path, key);
    if (path === null) return { kind: 'unclear', why: 'The key can not stand in an address.' };
    try {
      return await pRetry(() => tryOnce(edges, path, signal), {
        retries: ATTEMPTS - 1,
        minTimeout: 0,
        shouldRetry: async ({ error, attemptNumber }) => {
          if (!(error instanceof TryAgain) || signal.aborted) return false;
          await sleep(Math.min(MAX_WAIT_MS, error.afterMs ?? edges.backoffMs(attemptNumber)), signal);
          return !signal.aborted;
        },
      });
    } catch (error) {
      if (!(error instanceof TryAgain)) throw error;
      return signal.aborted ? null : { kind: 'unclear', why: error.why };
    }
  };
}

/** The path with the key in it; `null` for a key that would lead elsewhere, or that can't be encoded. */
export function lookUpPath(template: string, key: string): string | null {
  // Encoding leaves `.` and `..` as they are, and a server would resolve them to another path.
  if (key === '' || key === '.' || key === '..' || !key.isWellFormed()) return null;
  return template.replaceAll('{key}', () => encodeURIComponent(key));
}

async function tryOnce(edges: Asking, path: string, signal: AbortSignal): Promise<Sighting | null> {
  await edges.waitForRate(signal);
  if (signal.aborted) return null;
  const token = await edges.credentials.current();
  const first = await ask(edges, path, token);
  const fresh = first.kind === 'credentials' ? await edges.credentials.refresh(token) : null;
  const verdict = fresh === null ? first : await ask(edges, path, fresh);
  if (verdict.kind === 'credentials') edges.refused.abort();
  if (verdict.kind === 'credentials') return null;
  if (verdict.kind === 'retry') throw new TryAgain(verdict);
  return verdict;
}

async function ask({ client, settings }: LookUpEdges, path: string, token: string): Promise<LookUpVerdict> {
  return judgeLookUp(await client.attempt({ method: 'GET', path, body: null }, token), settings);
}
