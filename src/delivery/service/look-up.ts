/**
 * Asking the service for a row in doubt by its key (the setting `lookup`). Whatever is unclear
 * leaves the row in doubt. A look-up is a GET, so it may be repeated.
 */
import pRetry from 'p-retry';
import type { LookupSettings } from '../../config/job-definition.ts';
import { valueAtPointer } from '../../lib/json-pointer.ts';
import { sleep } from '../../lib/waiting.ts';
import { readId } from '../../model/record-id.ts';
import type { Reply } from '../../model/request.ts';
import type { ServiceClient } from './attempt.ts';
import type { Credentials } from './credentials.ts';
import { parseAnswer } from './judge.ts';
import { codeOfNetworkError, NETWORK_SENTENCES } from './network-error.ts';
import { pathSegment } from './operations.ts';

export type Sighting =
  | { readonly kind: 'found'; readonly id: string }
  /** Several records: the first ids, and how many there are. */
  | { readonly kind: 'found-twice'; readonly ids: readonly string[]; readonly count: number }
  | { readonly kind: 'not-found' }
  /** Nothing can be concluded; `why` is a sentence without personal data. */
  | { readonly kind: 'unclear'; readonly why: string };

type LookUpVerdict =
  | Sighting
  | { readonly kind: 'retry'; readonly why: string; readonly afterMs: number | null }
  | { readonly kind: 'credentials'; readonly why: string };

/** `null`: broken off, or the token is refused, so that nothing is known. */
export type LookUp = (key: string, signal: AbortSignal) => Promise<Sighting | null>;

type LookUpEdges = {
  readonly settings: LookupSettings;
  readonly client: Pick<ServiceClient, 'attempt'>;
  readonly credentials: Pick<Credentials, 'current' | 'refresh'>;
  /** Resolves when one more request may be sent. */
  waitForRate(signal: AbortSignal): Promise<void>;
  /** Milliseconds to wait before the attempt after the `attempt`-th. */
  backoffMs(attempt: number): number;
};

type Asking = LookUpEdges & { readonly refused: AbortController };

const ATTEMPTS = 4;
/** The longest wait between attempts, even where the service asks for a longer one. */
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

export function createLookUp(given: LookUpEdges): LookUp {
  const refused = new AbortController();
  const edges: Asking = { ...given, refused };
  return async (key, given) => {
    // Once the token is refused nobody asks again: each new token costs a reading of its source.
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

/** `null` for a key that would lead elsewhere, or that can't be encoded. */
function lookUpPath(template: string, key: string): string | null {
  const segment = pathSegment(key);
  return segment === null ? null : template.replaceAll('{key}', () => segment);
}

async function tryOnce(edges: Asking, path: string, signal: AbortSignal): Promise<Sighting | null> {
  await edges.waitForRate(signal);
  if (signal.aborted) return null;
  const token = await edges.credentials.current();
  const first = await ask(edges, path, token);
  const fresh = first.kind === 'credentials' ? await edges.credentials.refresh(token) : null;
  const verdict = fresh === null ? first : await ask(edges, path, fresh);
  if (verdict.kind === 'credentials') {
    edges.refused.abort();
    return null;
  }
  if (verdict.kind === 'retry') throw new TryAgain(verdict);
  return verdict;
}

async function ask({ client, settings }: LookUpEdges, path: string, token: string): Promise<LookUpVerdict> {
  return judgeLookUp(await client.attempt({ method: 'GET', path, body: null }, token), settings);
}

const IDS_NAMED = 3;

/** Only a 200 that is understood, or a 404, says anything. Pure. */
export function judgeLookUp(reply: Reply, settings: Pick<LookupSettings, 'match' | 'id'>): LookUpVerdict {
  switch (reply.kind) {
    case 'response':
      return judgeLookUpAnswer(reply, settings);
    case 'unreadable':
    case 'no-response':
      return { kind: 'retry', why: NETWORK_SENTENCES[codeOfNetworkError(reply.code)], afterMs: null };
    default:
      return reply satisfies never;
  }
}

function judgeLookUpAnswer(
  { status, body, retryAfterMs }: Extract<Reply, { kind: 'response' }>,
  settings: Pick<LookupSettings, 'match' | 'id'>,
): LookUpVerdict {
  if (status === 200) return judgeMatches(body, settings);
  if (status === 404) return { kind: 'not-found' };
  const why = `The service answered ${status}.`;
  if (status === 401) return { kind: 'credentials', why };
  return status === 429 || status >= 500
    ? { kind: 'retry', why, afterMs: retryAfterMs }
    : { kind: 'unclear', why };
}

function judgeMatches(body: string, { match, id }: Pick<LookupSettings, 'match' | 'id'>): Sighting {
  const json = parseAnswer(body);
  if (json === undefined) return unclear('The answer was not JSON.');
  const found = valueAtPointer(json, match);
  // `null` is no list: a service that leaves a field empty has not said that it looked.
  if (typeof found !== 'object' || found === null) {
    return unclear(`The answer has no list and no object at lookup.match ("${match}").`);
  }
  const matches: readonly unknown[] = Array.isArray(found) ? found : [found];
  const ids = matches.map((one) => idOf(valueAtPointer(one, id)));
  const known = ids.filter((one) => one !== null);
  if (known.length < ids.length) return unclear(`A match has no usable id at lookup.id ("${id}").`);
  const [only, ...others] = known;
  if (only === undefined) return { kind: 'not-found' };
  if (others.length === 0) return { kind: 'found', id: only };
  return { kind: 'found-twice', ids: known.slice(0, IDS_NAMED), count: known.length };
}

function idOf(value: unknown): string | null {
  const given = readId(value);
  return given.kind === 'id' ? given.id : null;
}

function unclear(why: string): Sighting {
  return { kind: 'unclear', why };
}
