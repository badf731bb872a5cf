/**
 * Live parts: each is made at most once a second for all who look with the same rights, however many they are, and a browser that has it
 * already is told so in a line. Few are remembered: each open page asks for its own again a second later.
 */
import { shortDigest } from '../lib/digest.ts';

/** HTML with the name by which a browser says that it has it. */
export type Fragment = { readonly html: string; readonly etag: string };

export function fragmentOf(html: string): Fragment {
  return { html, etag: `"${shortDigest(html, ETAG)}"` };
}

const ETAG = 22;
const FRESH_MS = 1_000;
const MOST = 200;

/** Answers what `make` made under this name less than a second ago, or makes it anew. */
export type Live<T> = (name: string, make: () => Promise<T>) => Promise<T>;

export function createLive<T>(now: () => number): Live<T> {
  const made = new Map<string, { readonly value: Promise<T>; until: number }>();
  return (name, make) => {
    const known = made.get(name);
    if (known !== undefined && now() < known.until) return known.value;
    const entry = { value: make(), until: Number.POSITIVE_INFINITY };
    made.delete(name);
    made.set(name, entry);
    entry.value.then(
      () => {
        entry.until = now() + FRESH_MS;
      },
      () => made.delete(name),
    );
    const [oldest] = made.keys();
    if (made.size > MOST && oldest !== undefined) made.delete(oldest);
    return entry.value;
  };
}
