/**
 * The audit: who did what when, a chain of entries for each ledger. An entry is the text that
 * JSON.stringify makes of it, and names the SHA-256 of the text before: none can be changed, taken
 * out, put in or moved unseen, as long as somebody has the digest of a later one. Pure.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { normalForm } from './key-form.ts';

/** Who acts, and how that is known; `inbox`: who watches it, and not who put the file there. */
export type Actor = { readonly name: string; readonly via: 'page' | 'ONBOARD_ACTOR' | 'user' | 'inbox' };

export function atPage(name: string): Actor {
  return { name, via: 'page' };
}

/** However they are written. */
export function isSamePerson(one: string, other: string | null): boolean {
  return other !== null && normalForm(one) === normalForm(other);
}

const entrySchema = z.strictObject({
  /** From 1, without gaps. */
  n: z.number().int().positive(),
  /** ISO 8601, UTC, by the clock of who acts. */
  at: z.string(),
  /** `''`: it concerns none. */
  run: z.string(),
  /** The chain's name. */
  ledger: z.string(),
  actor: z.string(),
  via: z.string(),
  what: z.string(),
  /** What belongs to it: never a value of a row. */
  of: z.record(z.string(), z.unknown()),
  /** `''`: the first. */
  prev: z.string(),
});
export type AuditEntry = z.infer<typeof entrySchema>;

/** The last entry of a chain, as a report keeps it; the digest vouches for all before. */
export const headSchema = z.object({ n: z.number(), head: z.string() });
export type AuditHead = z.infer<typeof headSchema>;

export function digestOf(text: string): string {
  return hash('sha256', text, 'hex');
}

/** `null`: it is not as it was written. */
export function parseEntry(text: string): AuditEntry | null {
  try {
    const entry = entrySchema.parse(JSON.parse(text));
    return JSON.stringify(entry) === text ? entry : null;
  } catch {
    return null;
  }
}

/** `place`: in its chain, from 1. `forked`: it goes on from an earlier entry, as after a loss. */
export type Misfit = {
  readonly place: number;
  readonly kind: 'changed' | 'removed' | 'put in' | 'swapped' | 'forked';
};

/** The first entry of one chain that doesn't fit; `null`: all do. */
export function misfitOf(texts: readonly string[]): Misfit | null {
  const entries = texts.map(parseEntry);
  const prevOf = (n: number) => (n === 1 ? '' : digestOf(texts[n - 2] ?? ''));
  const at = entries.findIndex((one, i) => one?.n !== i + 1 || one.prev !== prevOf(i + 1));
  if (at === -1) return null;
  const place = at + 1;
  const [entry = null, next = null] = entries.slice(at);
  const others = entries.filter((one, i) => i !== at && one?.n === entry?.n);
  if (entries.slice(place).some((one) => one?.n === place))
    return { place, kind: others.length === 0 ? 'swapped' : 'put in' };
  if (entry === null || (entry.n !== place && next?.n === place + 1)) return { place, kind: 'changed' };
  if (entry.n > place) return { place, kind: 'removed' };
  if (entry.n < place) {
    const isForked = entry.prev === prevOf(entry.n) && texts.indexOf(texts[at] ?? '') === at;
    return { place, kind: isForked ? 'forked' : 'put in' };
  }
  // Where the next one has the digest of this one, the one before is another than it was.
  const isBefore = next === null || next.prev === prevOf(place + 1);
  return { place: Math.max(1, isBefore ? at : place), kind: 'changed' };
}

/** By their ledgers, each in its order; a damaged line counts where it stands. */
export function chainsIn(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const chains = new Map<string, string[]>();
  let ledger = '';
  for (const line of lines) {
    ledger = parseEntry(line)?.ledger ?? ledger;
    const chain = chains.get(ledger) ?? [];
    chain.push(line);
    chains.set(ledger, chain);
  }
  return chains;
}
