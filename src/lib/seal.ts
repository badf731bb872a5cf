/**
 * Boxes: texts and bytes sealed under a key (AES-256-GCM), each for one place that is authenticated
 * with it, so that a box opens nowhere else. And digests of texts under a key (HMAC-SHA-256).
 */
import { createCipheriv, createDecipheriv, createSecretKey, hash, randomFillSync } from 'node:crypto';

export type Seal = {
  /** Without a key everything stands as it is. */
  readonly isClear: boolean;
  /** Base64. `place`: what the text is of, and of whom. */
  text(place: string, text: string): string;
  openText(place: string, box: string): string;
  bytes(place: string, bytes: Buffer): Buffer;
  /** What is no box is answered as it is. */
  openBytes(place: string, box: Buffer): Buffer;
};

export const CLEAR: Seal = {
  isClear: true,
  text: (_, text) => text,
  openText: (_, text) => text,
  bytes: (_, bytes) => bytes,
  openBytes: (_, bytes) => bytes,
};

const ALGORITHM = 'aes-256-gcm';
export const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** How a box begins; no deflated bytes begin so. With it the head is 40 signs in base64. */
const MARK = Buffer.of(0x07, 0x01);
const HEAD_BYTES = MARK.length + IV_BYTES + TAG_BYTES;

/** `owner`: before each place. To open throws where a box was changed, or is of another place. */
export function createSeal(key: Buffer, owner: string): Seal {
  const secret = createSecretKey(key);
  const about = (place: string) => Buffer.from(`${owner} ${place}`);
  const begin = (place: string) => {
    const iv = nextIv();
    const cipher = createCipheriv(ALGORITHM, secret, iv).setAAD(about(place));
    return { cipher, head: () => Buffer.concat([MARK, iv, cipher.getAuthTag()]) };
  };
  const opening = (place: string, box: Buffer) => {
    const iv = box.subarray(MARK.length, MARK.length + IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, secret, iv, { authTagLength: TAG_BYTES });
    return decipher.setAAD(about(place)).setAuthTag(box.subarray(MARK.length + IV_BYTES, HEAD_BYTES));
  };
  return {
    isClear: false,
    text(place, text) {
      const { cipher, head } = begin(place);
      const body = cipher.update(text, 'utf8', 'base64') + cipher.final('base64');
      return head().toString('base64') + body;
    },
    openText(place, box) {
      const bytes = Buffer.from(box, 'base64');
      const decipher = opening(place, bytes);
      return decipher.update(bytes.subarray(HEAD_BYTES), undefined, 'utf8') + decipher.final('utf8');
    },
    bytes(place, bytes) {
      const { cipher, head } = begin(place);
      const body = [cipher.update(bytes), cipher.final()];
      return Buffer.concat([head(), ...body]);
    },
    openBytes(place, box) {
      if (box[0] !== MARK[0]) return box;
      const decipher = opening(place, box);
      return Buffer.concat([decipher.update(box.subarray(HEAD_BYTES)), decipher.final()]);
    },
  };
}

const randoms = Buffer.alloc(512 * IV_BYTES);
let used = randoms.length;

/** Random ones are drawn many at a time: each call costs more than a box's other half. */
function nextIv(): Buffer {
  if (used === randoms.length) {
    randomFillSync(randoms);
    used = 0;
  }
  used += IV_BYTES;
  return randoms.subarray(used - IV_BYTES, used);
}

const BLOCK_BYTES = 64;

/**
 * The first `length` characters, in base64url, of the HMAC-SHA-256 under the key's base64 text,
 * with the inner digest as base64 text too: hashes of texts cost half of an Hmac object.
 */
export function keyedDigest(key: Buffer): (text: string, length: number) => string {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  bytes.write(key.toString('base64'));
  const padded = (by: number) => Buffer.from(bytes.map((byte) => byte ^ by)).toString('latin1');
  const [inner, outer] = [padded(0x36), padded(0x5c)];
  return (text, length) =>
    hash('sha256', outer + hash('sha256', inner + text, 'base64'), 'base64url').slice(0, length);
}
