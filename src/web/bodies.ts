/** Forms that come in: at most 64 kB, counted as the bytes pass, whatever their headers say. */
import { UsageError } from '../lib/usage-error.ts';

const FORM_BYTES = 65_536;

/** The fields of a form that was sent; throws a UsageError where it is too large. */
export async function boundedForm({ body }: Request): Promise<URLSearchParams> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.byteLength;
    if (size > FORM_BYTES) throw new UsageError(`The form has more than ${FORM_BYTES} bytes: expected less.`);
    pieces.push(piece);
  }
  return new URLSearchParams(Buffer.concat(pieces).toString('utf8'));
}
