/** Names the encoding that the first bytes of a file give away and that is not UTF-8, or `null`. */
export function detectForeignEncoding(bytes: Buffer): string | null {
  const start = bytes.subarray(0, 4).toString('hex');
  if (start === 'fffe0000') return 'UTF-32LE (its first bytes are FF FE 00 00)';
  if (start === '0000feff') return 'UTF-32BE (its first bytes are 00 00 FE FF)';
  if (start.startsWith('fffe')) return 'UTF-16LE (its first bytes are FF FE)';
  if (start.startsWith('feff')) return 'UTF-16BE (its first bytes are FE FF)';
  if (/^(?!00)..00(?!00)..00$/.test(start))
    return 'UTF-16LE without a byte order mark (every second byte is NUL)';
  if (/^00(?!00)..00(?!00)..$/.test(start))
    return 'UTF-16BE without a byte order mark (every second byte is NUL)';
  return null;
}
