/** The bearer tokens that the sandbox knows: which are valid, and how often each was used. */
/** How long a token lives; `null` for no end. The lifetime at the real service is not shown. */
type TokenLimits = {
  /** The life from the first use. */
  readonly ttlMs: number | null;
  /** The number of requests after which a token is no longer valid. */
  readonly requests: number | null;
};

type TokenUse = { readonly valid: boolean; readonly requests: number };

export type TokenBook = {
  /** Whether the Authorization header carries a token that is valid now; each time it does uses the token once. */
  admits(authorization: string | undefined): boolean;
  /** Makes the token valid and unused, or no longer valid. */
  set(token: string, valid: boolean): void;
  /** The uses in the order in which the tokens became known; never the tokens themselves. */
  uses(): TokenUse[];
};

type Entry = { valid: boolean; requests: number; firstUsedAt: number | null };

/** `now` gives milliseconds. */
export function createTokenBook(
  tokens: readonly string[],
  limits: TokenLimits,
  now: () => number = Date.now,
): TokenBook {
  const entries = new Map<string, Entry>(tokens.map((token) => [token, fresh()]));
  const isLive = (entry: Entry) =>
    entry.valid &&
    (limits.requests === null || entry.requests < limits.requests) &&
    (limits.ttlMs === null || entry.firstUsedAt === null || now() - entry.firstUsedAt < limits.ttlMs);

  return {
    admits(authorization) {
      const entry = entries.get(bearerOf(authorization));
      if (entry === undefined || !isLive(entry)) return false;
      entry.requests += 1;
      entry.firstUsedAt ??= now();
      return true;
    },
    set: (token, valid) => void entries.set(token, { ...fresh(), valid }),
    uses: () => [...entries.values()].map((entry) => ({ valid: isLive(entry), requests: entry.requests })),
  };
}

function fresh(): Entry {
  return { valid: true, requests: 0, firstUsedAt: null };
}

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) return '';
  return authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : '';
}
