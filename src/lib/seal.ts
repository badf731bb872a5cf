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
/** A box's first byte; no deflated bytes begin so. */
const MARK = 0x07;
const HEAD_BYTES = 1 + IV_BYTES + TAG_BYTES;

/** `owner`: before each place. To open throws where a box was changed, or is of another place. */
export function createSeal(key: Buffer, owner: string): Seal {
  const secret = createSecretKey(key);
  const about = (place: string) => Buffer.from(`${owner} ${place}`);
  const close = (place: string, content: string | Buffer) => {
    const iv = nextIv();
    const cipher = createCipheriv(ALGORITHM, secret, iv).setAAD(about(place));
    const body = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
    const rest = cipher.final();
    return Buffer.concat([HEAD, iv, cipher.getAuthTag(), body, rest]);
  };
  const open = (place: string, box: Buffer) => {
    const iv = box.subarray(1, 1 + IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, secret, iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(about(place)).setAuthTag(box.subarray(1 + IV_BYTES, HEAD_BYTES));
    return Buffer.concat([decipher.update(box.subarray(HEAD_BYTES)), decipher.final()]);
  };
  return {
    isClear: false,
    text: (place, text) => close(place, text).toString('base64'),
    openText: (place, box) => open(place, Buffer.from(box, 'base64')).toString('utf8'),
    bytes: close,
    openBytes: (place, box) => (box[0] === MARK ? open(place, box) : box),
  };
}

const HEAD = Buffer.of(MARK);
const randoms = Buffer.alloc(512 * IV_BYTES);
let used = randoms.length;

/** Random ones are drawn many at a time: each call costs more than a box's other half. */
function nextIv(): Buffer {
  if (used === randoms.length) {
    randomFillSync(randoms);
    used = 0;
  }
  used += IV_BYTES;
  return Buffer.from(randoms.subarray(used - IV_BYTES, used));
}

const BLOCK_BYTES = 64;

/**
 * The first `length` characters of the HMAC-SHA-256 in base64url, under the key's base64 text: of
 * ASCII, so are its pads, and a hash of texts costs a third of an Hmac object.
 */
export function keyedDigest(key: Buffer): (text: string, length: number) => string {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  bytes.write(key.toString('base64'));
  const inner = bytes.map((byte) => byte ^ 0x36);
  const outer = Buffer.concat([bytes.map((byte) => byte ^ 0x5c), Buffer.alloc(KEY_BYTES)]);
  const innerText = Buffer.from(inner).toString('latin1');
  return (text, length) => {
    hash('sha256', innerText + text, 'buffer').copy(outer, BLOCK_BYTES);
    return hash('sha256', outer, 'base64url').slice(0, length);
  };
}
