-- How a worker finds the epoch. Where it replays a journal the others wait for it: it says so
-- before it looks at a closed ledger, and then regularly; check-in refuses where Redis was emptied.
-- An epoch from before one that the worker knows is closed for everybody.
-- KEYS: epoch. ARGV: worker, what it does ('looks', 'begins' to replay, 'goes on'), the number of
-- the latest epoch that it knows.
-- Answers {server run, open (0|1), its last sequence number (-1: no worker), the number of the
-- epoch, its name}.

--- @include "parts/server-id"
--- @include "parts/clock"

local epoch = KEYS[1]
local worker, does, known = unpack(ARGV)

local server = serverId()
if tonumber(call('HGET', epoch, 'number') or '0') < tonumber(known) then
  call('HSET', epoch, 'number', known)
  if call('HGET', epoch, 'server') == server then call('HSET', epoch, 'server', '') end
end

local found = call('HMGET', epoch, 'server', 'm:' .. worker, 'b:' .. worker, 'number', 'opened')
local isOpen, last, beat = found[1] == server, tonumber(found[2] or '-1'), found[3]
local number, name = tonumber(found[4] or '0'), found[5] or ''

local replays = does == 'begins' or (does == 'goes on' and beat)
if replays and not isOpen then call('HSET', epoch, 'b:' .. worker, nowMs()) end
return {server, isOpen and 1 or 0, last, number, name}
