/** What comes in: forms of at most 64 kB, and files no slower than they may be. Counted as the bytes pass, whatever their headers say. */
import { UsageError } from '../lib/usage-error.ts';

const FORM_BYTES = 65_536;
const FORM_MS = 30_000;
/** The least that must have come in each of these spans of an upload. */
const PACE_BYTES = 300_000;
const PACE_MS = 30_000;

/** The fields of a form that was sent; throws a UsageError where it is too large or too slow. */
export async function boundedForm(request: Request, longestMs = FORM_MS): Promise<URLSearchParams> {
  if (request.body === null) return new URLSearchParams();
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of paced(request.body, { spanMs: longestMs, least: Number.POSITIVE_INFINITY })) {
    size += piece.byteLength;
    if (size > FORM_BYTES) throw new UsageError(`The form has more than ${FORM_BYTES} bytes: expected less.`);
    pieces.push(piece);
  }
  return new URLSearchParams(Buffer.concat(pieces).toString('utf8'));
}

/** The bytes of an upload; throws a UsageError once they come too slowly. */
export function pacedBytes(body: ReadableStream<Uint8Array>, spanMs = PACE_MS): AsyncIterable<Uint8Array> {
  return paced(body, { spanMs, least: PACE_BYTES });
}

type Pace = { readonly spanMs: number /** Bytes that each span must bring. */; readonly least: number };

async function* paced(body: ReadableStream<Uint8Array>, { spanMs, least }: Pace) {
  const reader = body.getReader();
  let ends = performance.now() + spanMs;
  let came = 0;
  try {
    for (;;) {
      const piece = await inTime(reader.read(), ends - performance.now());
      if (piece.done) return;
      came += piece.value.byteLength;
      yield piece.value;
      if (came < least) continue;
      ends = performance.now() + spanMs;
      came = 0;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UsageError('It came too slowly, and was given up: try again.')), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
