/**
 * Reserves places on the run's time line, evenly spaced, over all workers together (GCRA without bursts).
 * KEYS: rate. ARGV: how many, microseconds between two. Redis' own clock decides, so workers' clocks don't matter.
 * Answers the microseconds until the first of them.
 */
export const RESERVE = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local free = tonumber(redis.call('GET', KEYS[1]) or '0')
local first = math.max(now, free)
local after = first + ARGV[1] * ARGV[2]
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1000)
return string.format('%.0f', first - now)
`;
