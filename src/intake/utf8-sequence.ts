/**
 * The length of the UTF-8 sequence of several bytes that begins at `at` (Unicode, table 3-7), 0 where none does, or
 * `cut` where the bytes end within it.
 */
export function utf8SequenceAt(bytes: Uint8Array, at: number): number | 'cut' {
  const lead = bytes[at] ?? 0;
  const length = sequenceLength(lead);
  for (let k = 1; k < length; k += 1) {
    const next = bytes[at + k];
    if (next === undefined) return 'cut';
    if (!mayFollow(lead, k, next)) return 0;
  }
  return length;
}

function sequenceLength(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 0;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function mayFollow(lead: number, place: number, byte: number): boolean {
  if (byte < 0x80 || byte > 0xbf) return false;
  if (place > 1) return true;
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte <= 0x9f;
  if (lead === 0xf0) return byte >= 0x90;
  return lead !== 0xf4 || byte <= 0x8f;
}

/** How many of the bytes come before a sequence that is cut off at their end. */
export function completeLength(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if (byte >= 0xc0) return utf8SequenceAt(bytes, end - back) === 'cut' ? end - back : end;
    if (byte < 0x80) return end;
  }
  return end;
}
