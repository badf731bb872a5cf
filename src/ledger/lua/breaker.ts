/**
 * The breaker's hash; all times in ms.
 * - 'since': when the first attempt of the current series ended without a definite answer
 * - 'failures': how many in a row; 'cause': why the latest failed
 * - open: 'until': end of the pause; 'trips': probes that failed
 * - half-open: 'probe': the probing row's mark; 'probing': when it is given up
 * - 'hold': until when the service asked all to wait
 * - 'token': until when another token is waited for
 */

/**
 * An attempt ended without a definite answer.
 * KEYS: breaker.
 * ARGV: the attempt's mark, does it count as a failure (0|1), failures in a row that open the
 * breaker, shortest pause (ms), longest pause (ms), hold that the service asks for (ms, 0: none),
 * cause.
 * Answers ms since the first such attempt after the last definite answer.
 */
export const FAILURE = `
local t = call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
call('HSETNX', KEYS[1], 'since', now)
local asked = tonumber(ARGV[6])
if asked > 0 and now + asked > tonumber(call('HGET', KEYS[1], 'hold') or '0') then
  call('HSET', KEYS[1], 'hold', now + asked)
end
local breaker = call('HMGET', KEYS[1], 'since', 'until', 'probe', 'trips')
if ARGV[2] == '1' then
  call('HSET', KEYS[1], 'cause', ARGV[7])
  local failures = call('HINCRBY', KEYS[1], 'failures', 1)
  local trips = tonumber(breaker[4] or '0')
  local pause = 0
  if breaker[2] and breaker[3] == ARGV[1] then
    trips = trips + 1
    pause = math.min(tonumber(ARGV[4]) * 2 ^ trips, tonumber(ARGV[5]))
  elseif not breaker[2] and failures >= tonumber(ARGV[3]) then pause = tonumber(ARGV[4]) end
  if pause > 0 then
    call('HSET', KEYS[1], 'until', string.format('%.0f', now + pause), 'trips', trips)
    call('HDEL', KEYS[1], 'probe', 'probing')
  end
elseif breaker[3] == ARGV[1] then
  -- The probe was answered, if only with a limit: the service is there, and the breaker closes.
  call('HDEL', KEYS[1], 'failures', 'cause', 'until', 'trips', 'probe', 'probing')
end
return tostring(now - tonumber(breaker[1]))
`;

/**
 * Lua: definite answers came for requests with the marks in ANSWERED (mark → true), so the breaker
 * closes. Only the probe's answer closes an open breaker: other requests began before, and a
 * service that shuts down still answers those. Expects the breaker's key in BREAKER.
 */
export const SUCCESS = `
local breaker = call('HMGET', BREAKER, 'since', 'until', 'probe')
if breaker[1] and (not breaker[2] or (breaker[3] and ANSWERED[breaker[3]])) then
  call('HDEL', BREAKER, 'failures', 'cause', 'since', 'until', 'trips', 'probe', 'probing')
end
`;
