/** `now` gives milliseconds. */
export function createTokenBook(tokens, limits, now = Date.now) {
    const entries = new Map(tokens.map((token) => [token, fresh()]));
    const isLive = (entry) => entry.valid &&
        (limits.requests === null || entry.requests < limits.requests) &&
        (limits.ttlMs === null || entry.firstUsedAt === null || now() - entry.firstUsedAt < limits.ttlMs);
    return {
        admits(authorization) {
            const entry = entries.get(bearerOf(authorization));
            if (entry === undefined || !isLive(entry))
                return false;
            entry.requests += 1;
            entry.firstUsedAt ??= now();
            return true;
        },
        set: (token, valid) => void entries.set(token, { ...fresh(), valid }),
        uses: () => [...entries.values()].map((entry) => ({ valid: isLive(entry), requests: entry.requests })),
    };
}
function fresh() {
    return { valid: true, requests: 0, firstUsedAt: null };
}
function bearerOf(authorization) {
    if (authorization === undefined)
        return '';
    return authorization.slice(0, 7).toLowerCase() === 'bearer ' ? authorization.slice(7).trim() : '';
}
//# sourceMappingURL=token-book.js.map