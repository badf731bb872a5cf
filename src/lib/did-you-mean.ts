/** The known name nearest to an unknown one, whatever its case and separators. */
import { distance } from 'fastest-levenshtein';

/** Longer names are no typos, and comparing takes time in proportion to both lengths. */
const LONGEST_NAME = 100;
/** More than the fields of a request, or the columns of a person's file. */
const MOST_CANDIDATES = 1_000;

/** `null`: none is within `most(length)` edits. */
export function nearest(
  written: string,
  candidates: Iterable<string>,
  most: (length: number) => number = mostEdits,
): string | null {
  if (written.length > LONGEST_NAME) return null;
  const wanted = fold(written);
  let best: string | null = null;
  let bestDistance = most(wanted.length) + 1;
  let left = MOST_CANDIDATES;
  for (const candidate of candidates) {
    if (left === 0) break;
    left -= 1;
    if (candidate.length > LONGEST_NAME) continue;
    const d = distance(wanted, fold(candidate));
    if (d < bestDistance) {
      best = candidate;
      bestDistance = d;
    }
  }
  return best;
}

function mostEdits(length: number): number {
  return Math.max(2, Math.floor(length / 3));
}

/** ` Did you mean "x"?`, with its leading space, or ''. */
export function didYouMean(written: string, candidates: Iterable<string>): string {
  const candidate = nearest(written, candidates);
  return candidate === null ? '' : ` Did you mean "${candidate}"?`;
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}
