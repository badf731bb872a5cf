/**
 * Reserves times on the run's time line, evenly spaced, over all workers together (GCRA). None is given that is far ahead, so that
 * a worker that dies takes little with it; a moment in which nobody asked is made up for, so that the rate is reached.
 * KEYS: rate. ARGV: how many at most, microseconds between two, how far ahead (µs), how far back (µs). Redis' own clock decides, so
 * workers' clocks don't matter. Answers {how many, microseconds until the first of them}, or {0, microseconds until it is worth asking again}.
 */
export const RESERVE = `
local t = redis.call('TIME')
local now = t[1] * 1000000 + t[2]
local free = tonumber(redis.call('GET', KEYS[1]) or now)
local first = math.max(now - ARGV[4], free)
local times = math.min(tonumber(ARGV[1]), math.floor((now + ARGV[3] - first) / ARGV[2]) + 1)
if times < 1 then return {'0', string.format('%.0f', first - ARGV[3] - now)} end
local after = first + times * ARGV[2]
redis.call('SET', KEYS[1], string.format('%.1f', after), 'PX', math.ceil(math.max(0, after - now) / 1000) + 1000)
return {tostring(times), string.format('%.0f', first - now)}
`;
