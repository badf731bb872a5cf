-- A worker ends, and leaves where all it did is recorded. Where some of it may be lost it is still
-- waited for: the others must not go on as if it had done nothing.
-- KEYS: epoch, workers that left. ARGV: worker, the highest sequence number that it knows to
-- be recorded, the number of the latest epoch that it knows.
-- Answers 1: it has left.

--- @include "parts/server-id"
--- @include "parts/registry"
--- @include "parts/clock"

local epoch, left = KEYS[1], KEYS[2]
local worker, recorded, known = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])

local found = call('HMGET', epoch, 'server', 'm:' .. worker, 'number')
local server, last, number = found[1], tonumber(found[2] or recorded), tonumber(found[3] or '0')
local isWhole = server == serverId() and last >= recorded and number >= known
if not isWhole then
  call('HSETNX', epoch, 'm:' .. worker, 0)
  return 0
end
leave(epoch, worker)
call('ZADD', left, 'NX', nowMs(), worker)
return 1
