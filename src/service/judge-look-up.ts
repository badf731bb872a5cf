import type { LookupSettings } from '../config/lookup-settings.ts';
import { valueAtPointer } from '../lib/json-pointer.ts';
import type { Reply } from '../model/request.ts';
import { idProblem } from '../model/resolution.ts';
import { codeOfNetworkError, NETWORK_SENTENCES } from './network-code.ts';

/** What the service knows of a key. */
export type Sighting =
  | { readonly kind: 'found'; readonly id: string }
  /** Several records: the first ids, and how many there are. */
  | { readonly kind: 'found-twice'; readonly ids: readonly string[]; readonly count: number }
  | { readonly kind: 'not-found' }
  /** Nothing can be concluded; `why` is a sentence without personal data. */
  | { readonly kind: 'unclear'; readonly why: string };

/** What one answer to a look-up means; a GET may be repeated. */
export type LookUpVerdict =
  | Sighting
  | { readonly kind: 'retry'; readonly why: string; readonly afterMs: number | null }
  | { readonly kind: 'credentials'; readonly why: string };

const IDS_NAMED = 3;

/** What one reply means for the row that was looked up. Only a 200 that is understood, or a 404, says anything. Pure. */
export function judgeLookUp(reply: Reply, settings: Pick<LookupSettings, 'match' | 'id'>): LookUpVerdict {
  switch (reply.kind) {
    case 'response':
      return judgeResponse(reply, settings);
    case 'unreadable':
    case 'no-response':
      return { kind: 'retry', why: NETWORK_SENTENCES[codeOfNetworkError(reply.code)], afterMs: null };
    default:
      return reply satisfies never;
  }
}

function judgeResponse(
  { status, body, retryAfterMs }: Extract<Reply, { kind: 'response' }>,
  settings: Pick<LookupSettings, 'match' | 'id'>,
): LookUpVerdict {
  if (status === 200) return judgeBody(body, settings);
  if (status === 404) return { kind: 'not-found' };
  const why = `The service answered ${status}.`;
  if (status === 401) return { kind: 'credentials', why };
  return status === 429 || status >= 500
    ? { kind: 'retry', why, afterMs: retryAfterMs }
    : { kind: 'unclear', why };
}

function judgeBody(body: string, { match, id }: Pick<LookupSettings, 'match' | 'id'>): Sighting {
  const json = parseJson(body);
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

function parseJson(body: string): unknown {
  try {
    return JSON.parse(body.startsWith('\uFEFF') ? body.slice(1) : body);
  } catch {
    return undefined;
  }
}

/** A number is taken only where JSON.parse can't have rounded it. */
function idOf(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  return typeof value === 'string' && idProblem(value) === null ? value : null;
}

function unclear(why: string): Sighting {
  return { kind: 'unclear', why };
}
