/**
 * An attempt ended in a way that may pass. KEYS: weather. ARGV: the attempt's mark, does it count as a failure (0|1), failures in a row
 * that open the breaker, shortest pause (ms), longest pause (ms), how long the service wants to be left alone by all (ms, 0: it did not say),
 * why a failure is one.
 * The breaker opens for a pause that doubles with each probe that fails. Answers milliseconds since the last definite answer was followed by a failure.
 */
export const STUMBLE = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
redis.call('HSETNX', KEYS[1], 'since', now)
local hold = now + tonumber(ARGV[6])
if tonumber(ARGV[6]) > 0 and hold > tonumber(redis.call('HGET', KEYS[1], 'hold') or '0') then redis.call('HSET', KEYS[1], 'hold', hold) end
local weather = redis.call('HMGET', KEYS[1], 'since', 'until', 'probe', 'trips')
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[1], 'cause', ARGV[7])
  local failures = redis.call('HINCRBY', KEYS[1], 'failures', 1)
  local trips = tonumber(weather[4] or '0')
  local pause = 0
  if weather[2] and weather[3] == ARGV[1] then
    trips = trips + 1
    pause = math.min(tonumber(ARGV[4]) * 2 ^ trips, tonumber(ARGV[5]))
  elseif not weather[2] and failures >= tonumber(ARGV[3]) then pause = tonumber(ARGV[4]) end
  if pause > 0 then
    redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now + pause), 'trips', trips)
    redis.call('HDEL', KEYS[1], 'probe', 'probing')
  end
elseif weather[3] == ARGV[1] then
  -- The probe was answered, if only to be patient: the service is there.
  redis.call('HDEL', KEYS[1], 'failures', 'cause', 'until', 'trips', 'probe', 'probing')
end
return tostring(now - tonumber(weather[1]))
`;

/**
 * Lua: the service gave definite answers to requests with the marks in ANSWERED (mark → true); whatever was wrong with it is over.
 * Once the breaker is open only the probe's answer says so: the others were begun before, and a service that goes still ends those.
 * Expects the weather's key in WEATHER.
 */
export const CLEAR_UP = `
local stormy = redis.call('HMGET', WEATHER, 'since', 'until', 'probe')
if stormy[1] and (not stormy[2] or (stormy[3] and ANSWERED[stormy[3]])) then
  redis.call('HDEL', WEATHER, 'failures', 'cause', 'since', 'until', 'trips', 'probe', 'probing')
end
`;
