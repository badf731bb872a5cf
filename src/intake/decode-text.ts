import iconv from 'iconv-lite';
import { UsageError } from '../lib/usage-error.ts';
import type { Encoding } from '../model/source.ts';
import { nulProblem } from './choose-encoding.ts';
import { BAD_BYTES, decodeUtf8 } from './decode-utf8.ts';

/** The text of the bytes, whatever the block boundaries, with `BAD_BYTES` for what is no character; UsageError where it holds U+0000. */
export function decodeText(
  bytes: AsyncIterable<Buffer>,
  encoding: Encoding,
  path: string,
): AsyncGenerator<string> {
  return encoding === 'utf-8' ? decodeUtf8(bytes, path) : decodeOther(bytes, encoding, path);
}

type Other = Exclude<Encoding, 'utf-8'>;

async function* decodeOther(
  bytes: AsyncIterable<Buffer>,
  encoding: Other,
  path: string,
): AsyncGenerator<string> {
  const decoder = iconv.getDecoder(encoding, { stripBOM: false });
  const unitBytes = UNIT_BYTES[encoding];
  const mend = MENDS[encoding];
  let held = '';
  let length = 0;
  let decoded = 0;
  for await (const block of bytes) {
    length += block.length;
    const all = held + decoder.write(block);
    // iconv-lite cuts pairs of surrogates in UTF-16BE.
    held = isHighSurrogate(all.charCodeAt(all.length - 1)) ? all.slice(-1) : '';
    const text = all.slice(0, all.length - held.length);
    refuseNul(text, path, { decoded, unitBytes });
    decoded += text.length;
    if (text !== '') yield mend(text);
  }
  const rest = mend(held + (decoder.end() ?? ''));
  // iconv-lite drops the half of a unit that a file in UTF-16 is cut off at.
  const odd = length % unitBytes === 0 ? '' : BAD_BYTES;
  if (rest + odd !== '') yield rest + odd;
}

const UNIT_BYTES: Readonly<Record<Other, number>> = {
  'utf-16le': 2,
  'utf-16be': 2,
  'windows-1252': 1,
  'iso-8859-1': 1,
  'iso-8859-15': 1,
};

function refuseNul(text: string, path: string, place: { decoded: number; unitBytes: number }): void {
  const nul = text.indexOf('\u0000');
  if (nul !== -1) throw new UsageError(`${path}: ${nulProblem((place.decoded + nul) * place.unitBytes + 1)}`);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Marks what the decoder gives for bytes without a character: measured, and held by a test. */
const MENDS: Readonly<Record<Other, (text: string) => string>> = {
  'utf-16le': markLone,
  'utf-16be': markLone,
  'windows-1252': (text) => text.replaceAll('\uFFFD', BAD_BYTES),
  'iso-8859-1': markControls,
  'iso-8859-15': markControls,
};

function markLone(text: string): string {
  return text.isWellFormed() ? text : text.replaceAll(LONE_SURROGATE, BAD_BYTES);
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** iconv-lite makes the control characters U+0080 to U+009F of bytes that ISO 8859 has no letters or signs for. */
function markControls(text: string): string {
  return text.replaceAll(/[\u0080-\u009F]/g, BAD_BYTES);
}
