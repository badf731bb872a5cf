import { createHash } from 'node:crypto';

/** The first `length` characters of the text's SHA-256 in base64url: 6 bits each. */
export function shortDigest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, length);
}
