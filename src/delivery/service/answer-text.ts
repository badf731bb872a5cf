/**
 * The text of an answer: decoded as it says itself, and that of a refusal, which is kept, without
 * authorization values. Pure.
 */
import iconv from 'iconv-lite';

const CHARSET = /(?:charset|encoding)\s*=\s*["']?([\w.:-]+)/i;
const HEAD_BYTES = 1024;

/** By its mark, by `contentType`, or by what a page declares; else UTF-8. */
export function textOf(bytes: Buffer, contentType = ''): string {
  const charset = markOf(bytes) ?? CHARSET.exec(contentType)?.[1] ?? declaredIn(bytes);
  const isKnown = !/^(?:utf-?8|(?:us-)?ascii)$/i.test(charset) && iconv.encodingExists(charset);
  // Gateways name what their pages are not: in UTF-16, JSON and HTML have zeros.
  const isMeant = !/^(?:utf|ucs)/i.test(charset) || bytes.includes(0);
  // Redis refuses half a surrogate pair.
  return isKnown && isMeant ? iconv.decode(bytes, charset).toWellFormed() : bytes.toString('utf8');
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

function declaredIn(bytes: Buffer): string {
  const head = bytes[0] === '<'.charCodeAt(0) ? bytes.toString('latin1', 0, HEAD_BYTES) : '';
  return CHARSET.exec(head)?.[1] ?? 'utf-8';
}

const BLOTTED = '[blotted out]';
/** Not a word that follows "Bearer" or "Basic" in a sentence. */
const VALUE = String.raw`(?!(?:[A-Z]?[a-z]+|[A-Z]+)(?![\w+/=~-]))[\w.~+/=-]+`;
const HEADER = String.raw`(?:[Aa]uthorization|AUTHORIZATION)\\?["']?\s*[:=]>?\s*\\?["']?(?:\w+\s+)?`;
const SCHEME = String.raw`\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Nn]egotiate)(?:\s|%20|\+)+`;
const SENT_BACK = new RegExp(`(${HEADER}|${SCHEME})${VALUE}`, 'g');
/** Shorter ones occur within words by chance. */
const LONG_TOKEN = 8;
const LEAST_TOKEN = 4;

/** `isCut`: what followed the text is not kept, which may be the rest of a token. */
export function withoutSecrets(text: string, token: string, isCut: boolean): string {
  const own = token.length < LEAST_TOKEN ? text : text.replaceAll(spelled(token), BLOTTED);
  return (isCut ? withoutCutToken(own, token) : own).replaceAll(SENT_BACK, `$1${BLOTTED}`);
}

/** Its signs also as JSON, HTML and addresses spell them. */
function spelled(token: string): RegExp {
  const text = token.replaceAll(/\W/g, (sign) => {
    return String.raw`(?:\\{0,9}\x${sign.charCodeAt(0).toString(16)}|[%&\\]#?\w{2,6};?)`;
  });
  return new RegExp(token.length < LONG_TOKEN ? String.raw`(?<![\w-])${text}(?![\w-])` : text, 'g');
}

function withoutCutToken(text: string, token: string): string {
  for (let length = token.length - 1; length >= LONG_TOKEN; length -= 1)
    if (text.endsWith(token.slice(0, length))) return text.slice(0, -length) + BLOTTED;
  return text;
}
