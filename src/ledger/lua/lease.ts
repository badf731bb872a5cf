/** Takes or renews a lease. KEYS: lease. ARGV: holder, duration (ms). Answers 1: it is the holder's. */
export const HOLD_LEASE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** Gives a lease back. KEYS: lease. ARGV: holder. */
export const DROP_LEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`;
