-- Reserves times on the run's time line, evenly spaced, over all workers (GCRA). None is far ahead,
-- so that a worker that dies takes few along; time in which nobody asked is made up for, so that
-- the rate is reached. Redis' own clock decides.
-- KEYS: rate. ARGV: how many at most, µs between two, how far ahead (µs), how far back (µs).
-- Answers {how many, µs until the first of them}, or {0, µs until the next try is worth it}.

--- @include "parts/in-epoch"
--- @include "parts/clock"

local rate = KEYS[1]
local most, interval, ahead, behind = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local now = nowMicros()

local function keep(free)
  local ms = math.ceil(math.max(0, free - now) / 1000)
  call('SET', rate, string.format('%.1f', free), 'PX', ms + 1000)
end

local free = tonumber(call('GET', rate) or now)
-- A time beyond that was given before the clock was set back.
local latest = now + ahead + interval
if free > latest then
  free = latest
  keep(free)
end

local first = math.max(now - behind, free)
local times = math.min(most, math.floor((now + ahead - first) / interval) + 1)
if times < 1 then return {'0', string.format('%.0f', first - ahead - now)} end
keep(first + times * interval)
return {tostring(times), string.format('%.0f', first - now)}
