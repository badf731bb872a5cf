-- A worker has replayed its journal, and those of dead workers that are at hand. The last worker
-- opens the epoch, once it has counted the runs anew.
-- KEYS: epoch, workers that left.
-- ARGV: worker, its last sequence number, server run, what it knows ('open': it arrives and saw the
-- epoch open; 'closed': it saw it closed; 'counted': it has counted the runs), JSON of workers:
-- {dead, evicted, asked (to be waited for, though this Redis need not know them)}.
-- Answers {'open', the number of the epoch, its name}; {'moved'}: another server run again, or an
-- emptied one; {'count'}: nobody is missing, the runs have to be counted; {'closed', workers still
-- missing and when they were last heard of (ms), …}.

--- @include "parts/server-id"
--- @include "parts/registry"
--- @include "parts/clock"

local epoch, left = KEYS[1], KEYS[2]
local worker, sequence, seen, knows = unpack(ARGV)
local others = cjson.decode(ARGV[5])
local server, now = serverId(), nowMs()
local isOpen = call('HGET', epoch, 'server') == server

local function isMoved()
  if server ~= seen then return true end
  if knows == 'open' then return not isOpen end
  return call('HEXISTS', epoch, 'b:' .. worker) == 0
end

-- Who checked in on another server run has to do it anew.
local function beginChecking()
  if isOpen or call('HGET', epoch, 'checking') == server then return end
  call('HSET', epoch, 'checking', server)
  for other in pairs(registry(epoch).c) do call('HDEL', epoch, 'c:' .. other) end
end

local function letGo()
  for _, other in ipairs(others.dead) do
    leave(epoch, other)
    -- Its journal is put back in this Redis.
    call('ZADD', left, 'NX', now, other)
  end
  -- An evicted worker may come and do more.
  for _, other in ipairs(others.evicted) do leave(epoch, other) end
end

local function waitForAsked()
  for _, other in ipairs(others.asked) do
    -- A worker whose leaving is still recorded has lost nothing.
    if not call('ZSCORE', left, other) then call('HSETNX', epoch, 'm:' .. other, 0) end
  end
end

local function missing()
  local of, out = registry(epoch), {'closed'}
  for other in pairs(of.m) do
    if of.c[other] ~= server then out[#out + 1] = shown(other, of.b[other]) end
  end
  return out, #out > 1
end

local function open()
  local number = call('HINCRBY', epoch, 'number', 1)
  local name = number .. ':' .. server .. ':' .. now
  call('HSET', epoch, 'server', server, 'opened', name)
  call('HDEL', epoch, 'checking')
  return {'open', tostring(number), name}
end

if isMoved() then return {'moved'} end
beginChecking()
call('HSET', epoch, 'm:' .. worker, sequence)
letGo()
if isOpen then
  local found = call('HMGET', epoch, 'number', 'opened')
  return {'open', found[1] or '0', found[2] or ''}
end

call('HSET', epoch, 'b:' .. worker, now, 'c:' .. worker, server)
waitForAsked()
local answer, areMissing = missing()
if areMissing then return answer end
if knows ~= 'counted' then return {'count'} end
return open()
