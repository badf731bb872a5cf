-- A worker is alive, and reads who else is. Workers without a heartbeat for long are
-- suspect and leave the registry: on this server run nothing of theirs was lost. Their last numbers
-- stay beside who left ('<worker> <sequence number>'): a Redis that knows neither has lost the
-- worker.
-- KEYS: workers that left. ARGV: ms without a heartbeat after which a worker is suspect, ms for
-- which it is remembered who left.
-- Answers {now (ms), workers and their last heartbeats, …}; of those that left just now the
-- heartbeat is negative.

--- @include "parts/in-epoch"
--- @include "parts/registry"
--- @include "parts/clock"

local left = KEYS[1]
local suspectMs, leftMs = tonumber(ARGV[1]), tonumber(ARGV[2])
local now = nowMs()

call('HSET', epoch, 'b:' .. worker, now)
call('ZREMRANGEBYSCORE', left, '-inf', now - leftMs)
local of, out = registry(epoch), {tostring(now)}

for other in pairs(of.m) do
  -- It has just checked in: its first heartbeat is due within a second.
  if not of.b[other] then
    of.b[other] = now - suspectMs + 1000
    call('HSET', epoch, 'b:' .. other, of.b[other])
  end
end

for other, beat in pairs(of.b) do
  -- A heartbeat from before the clock was set back counts as given now.
  if tonumber(beat) > now then call('HSET', epoch, 'b:' .. other, now) end
  if now - beat > suspectMs then
    if of.m[other] then call('ZADD', left, now, other .. ' ' .. of.m[other]) end
    if of.m[other] then out[#out + 1] = shown(other, -beat) end
    leave(epoch, other)
  elseif of.m[other] then
    out[#out + 1] = shown(other, beat)
  end
end
return out
