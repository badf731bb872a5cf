import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

export const MAX_BODY_BYTES = 1024 * 1024;

/** A request's body as it came, or why it can't be taken. `text` is empty where none could be read. */
export type ReceivedBody =
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'none' | 'malformed' | 'wrong-type' | 'too-large'; readonly text: string };

/** Calls `done` once the whole body is here; never, where the client goes away first. Too long a body is read to its end and dropped. */
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
  // toString replaces broken bytes silently; a service would not.
  if (!isUtf8(bytes)) return { kind: 'malformed', text };
  try {
    return { kind: 'json', text, value: JSON.parse(text) };
  } catch {
    return { kind: 'malformed', text };
  }
}

function isJsonType(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}
