/**
 * The audit: who did what when, a chain of entries for each ledger. An entry is the text that
 * JSON.stringify makes of it, and names the SHA-256 of the text before: none can be changed, taken
 * out, put in or moved unseen, as long as somebody has the digest of a later one. Pure.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';

/** Who acts, and how that is known; `inbox`: who watches it, and not who put the file there. */
export type Actor = {
  readonly name: string;
  readonly via: 'page' | 'machine' | 'ONBOARD_ACTOR' | 'user' | 'inbox';
  /** user@host, beside ONBOARD_ACTOR; of a machine who added it. */
  readonly user?: string;
};

/** `maker`: of a machine; what it begins, the maker has begun too. */
export function atPage(name: string, maker?: string): Actor {
  return maker === undefined ? { name, via: 'page' } : { name, via: 'machine', user: maker };
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
  user: z.string().optional(),
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

/**
 * The last entry of each ledger's chain in these lines, up to the first that doesn't fit, which is
 * named by its number; `null`: all fit.
 */
export function verifyChains(lines: readonly string[]) {
  const heads = new Map<string, AuditHead>();
  for (const [i, line] of lines.entries()) {
    const entry = parseEntry(line);
    const { n, head } = heads.get(entry?.ledger ?? '') ?? { n: 0, head: '' };
    if (entry?.n !== n + 1 || entry.prev !== head) return { heads, misfit: i + 1 };
    heads.set(entry.ledger, { n: entry.n, head: digestOf(line) });
  }
  return { heads, misfit: null };
}
