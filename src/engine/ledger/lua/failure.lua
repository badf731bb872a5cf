-- An attempt ended without a definite answer. The breaker's hash; all times in ms:
-- - 'since': when the first attempt of the current series ended without a definite answer
-- - 'failures': how many in a row; 'cause': why the latest failed; 'failed': when that was
-- - open: 'until': end of the pause; 'trips': probes that failed
-- - half-open: 'probe': the probing row's mark; 'probing': when it is given up
-- - 'hold': until when the service asked all to wait
-- - 'token': until when another token is waited for
-- KEYS: breaker.
-- ARGV: the attempt's mark, does it count as a failure (0|1), failures in a row that open the
-- breaker, shortest pause (ms), longest pause (ms), hold that the service asks for (ms, 0: none),
-- cause.
-- Answers ms since the first such attempt after the last definite answer.

--- @include "parts/clock"

local breaker = KEYS[1]
local mark, isFailure, cause = ARGV[1], ARGV[2] == '1', ARGV[7]
local limit, shortest, longest = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local held = tonumber(ARGV[6])
local now = nowMs()

local function hold()
  if held > 0 and now + held > tonumber(call('HGET', breaker, 'hold') or '0') then
    call('HSET', breaker, 'hold', now + held)
  end
end

-- Probes that failed by now, and for how long nothing goes out; 0: the breaker stays as it is.
local function pauseAfter(isOpen, isProbe, trips)
  local failures = call('HINCRBY', breaker, 'failures', 1)
  if isOpen and isProbe then
    return trips + 1, math.min(shortest * 2 ^ (trips + 1), longest)
  end
  return trips, not isOpen and failures >= limit and shortest or 0
end

local function trip(isOpen, isProbe, before)
  call('HSET', breaker, 'cause', cause, 'failed', now)
  local trips, pause = pauseAfter(isOpen, isProbe, before)
  if pause > 0 then
    call('HSET', breaker, 'until', string.format('%.0f', now + pause), 'trips', trips)
    call('HDEL', breaker, 'probe', 'probing')
  end
end

call('HSETNX', breaker, 'since', now)
hold()
local found = call('HMGET', breaker, 'since', 'until', 'probe', 'trips')
local since, isOpen, isProbe = tonumber(found[1]), found[2], found[3] == mark
if isFailure then
  trip(isOpen, isProbe, tonumber(found[4] or '0'))
elseif isProbe then
  -- The probe was answered, if only with a limit: the service is there, and the breaker closes.
  call('HDEL', breaker, 'failures', 'failed', 'cause', 'until', 'trips', 'probe', 'probing')
end
return tostring(now - since)
