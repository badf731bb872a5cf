/** A request as received: its operation, its body, and the key that it is about. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { orElse } from '../lib/errors.ts';
import { valueAtPointer } from '../lib/json-pointer.ts';
import { type BuiltInCall, CALLS, callSpecOf } from '../operations/operations.ts';

/** Whatever a job definition describes itself. */
export const PLAYED = 'custom';
export const SANDBOX_CALLS: readonly SandboxCall[] = [...CALLS, PLAYED];
export type SandboxCall = BuiltInCall | typeof PLAYED;

/** `id`: empty where the path has none. */
export type MatchedCall = { readonly call: SandboxCall; readonly id: string };

const KNOWN = CALLS.map((call) => {
  const { method, path } = callSpecOf(call);
  return { call, method, prefix: path.replace(/\{\w+\}$/, ''), hasId: path.endsWith('}') };
});

/** Whatever the query. */
export function matchCall(method: string, target: string): MatchedCall | null {
  const path = pathOf(target);
  for (const { call, prefix, hasId, ...known } of KNOWN) {
    if (known.method !== method) continue;
    if (!hasId && path === prefix) return { call, id: '' };
    const matched = hasId ? withId(call, path, prefix) : null;
    if (matched !== null) return matched;
  }
  return null;
}

function pathOf(target: string): string {
  const query = target.indexOf('?');
  return query === -1 ? target : target.slice(0, query);
}

/** A request that is played; a GET could be a look-up, and gets a 404. */
export function matchAny(method: string, target: string): MatchedCall | null {
  const path = pathOf(target);
  return method !== 'GET' && /^\/v\d+\/./.test(path) ? { call: PLAYED, id: path } : null;
}

function withId(call: BuiltInCall, path: string, prefix: string): MatchedCall | null {
  if (!path.startsWith(prefix)) return null;
  const part = path.slice(prefix.length);
  if (part === '' || part.includes('/')) return null;
  return orElse(null, () => ({ call, id: decodeURIComponent(part) }));
}

const MAX_BODY_BYTES = 1024 * 1024;

/** `text` is empty where none could be read. */
export type ReceivedBody =
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'none' | 'malformed' | 'wrong-type' | 'too-large'; readonly text: string };

/** Calls `done` once the body is whole, never where the client goes away first. */
export function readBody(request: IncomingMessage, done: (body: ReceivedBody) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  });
  request.on('end', () => {
    if (bytes > MAX_BODY_BYTES) done({ kind: 'too-large', text: '' });
    else done(bodyOf(chunks, request.headers['content-type']));
  });
}

function bodyOf(chunks: readonly Buffer[], contentType: string | undefined): ReceivedBody {
  const [first] = chunks;
  if (first === undefined) return { kind: 'none', text: '' };
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  const text = bytes.toString('utf8');
  if (!isJsonType(contentType)) return { kind: 'wrong-type', text };
  // toString replaces broken bytes in silence; a service would not.
  if (!isUtf8(bytes)) return { kind: 'malformed', text };
  const asJson = () => ({ kind: 'json', text, value: JSON.parse(text) }) as const;
  return orElse<ReceivedBody>({ kind: 'malformed', text }, asJson);
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** Of other calls than creates the id in the path. */
export function keyOf({ call, id }: MatchedCall, body: ReceivedBody): string | null {
  const value = body.kind === 'json' ? body.value : null;
  const pointers = call === PLAYED ? [] : callSpecOf(call).keyIn;
  if (pointers.length === 0) return id;
  const found = pointers.map((pointer) => valueAtPointer(value, pointer));
  return found.find((text): text is string => typeof text === 'string' && text !== '') ?? null;
}
