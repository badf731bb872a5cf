/** The bearer tokens that the sandbox knows: which are valid, and how often each was used. */
type TokenUse = { readonly valid: boolean; readonly requests: number };

export type TokenBook = {
  /** Whether the Authorization header carries a valid token; each time it does uses the token once. */
  admits(authorization: string | undefined): boolean;
  /** Makes the token valid and unused, or no longer valid. */
  set(token: string, valid: boolean): void;
  /** The uses in the order in which the tokens became known; never the tokens themselves. */
  uses(): TokenUse[];
};

export function createTokenBook(tokens: readonly string[]): TokenBook {
  const entries = new Map(tokens.map((token) => [token, { valid: true, requests: 0 }]));
  return {
    admits(authorization) {
      const entry = entries.get(bearerOf(authorization));
      if (entry?.valid !== true) return false;
      entry.requests += 1;
      return true;
    },
    set: (token, valid) => void entries.set(token, { valid, requests: 0 }),
    uses: () => [...entries.values()].map((entry) => ({ ...entry })),
  };
}

function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined) return '';
  return authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : '';
}
