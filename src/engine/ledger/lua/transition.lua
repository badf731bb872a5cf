-- Moves a run to another state where the table of transitions allows it, with the time (ms) and an
-- entry in the audit. A run that its canary stopped has its next chunk go alone, too. One that
-- waits for a person is cancelled, or let go: whoever names its reason does that.
-- KEYS: record, the audit's chain.
-- ARGV: link, to, reason ('' clears it), now (ISO), who asked for it as JSON ('': nobody), the
-- entry's stub and `of`, JSON of the states it may come from, each alone or with its reason behind
-- a space.
-- Answers the state it was in, and whether it moved.

--- @include "parts/audit"
--- @include "parts/clock"

local record, chain = KEYS[1], KEYS[2]
local link, to, reason, now, request, stub, of = unpack(ARGV, 1, 7)
local from = cjson.decode(ARGV[8])

local found = call('HMGET', record, 'state', 'reason')
local state, reasonBefore = found[1], found[2]
local place = (state or '') .. ' ' .. (reasonBefore or '')
local waits = protocol.waitsForPerson[place]

local function mayMove()
  for _, one in ipairs(from) do
    local isMeant = one == state and (not waits or to == protocol.cancelled)
    if one == place or isMeant then return true end
  end
  return false
end

-- Answers what the audit calls it.
local function run()
  local isFirst = call('HSETNX', record, 'startedAt', now) == 1
  call('HDEL', record, 'pauseFor', 'problem')
  -- The next unreadable answer pauses it again; refusals are counted anew.
  if reasonBefore ~= protocol.unreadableAnswers then call('HDEL', record, 'streaks') end
  if place == protocol.stoppedByCanary then
    local sent = call('HGET', record, 'added') or 0
    call('HSET', record, 'canary', sent + 1)
  end
  if place == protocol.waitsForApproval then
    call('HSET', record, 'approval', request)
    return 'approved'
  end
  if place == protocol.heldUnusual then call('HSET', record, 'letGo', request) end
  return isFirst and 'began' or 'resumed'
end

if not mayMove() then return {state or '', 0} end
if isLinkStale(chain, link) then return staleLink() end

call('HSET', record, 'state', to, 'reason', reason, 'request', request, 'movedAt', nowMs())
local act = {link = link, stub = stub, what = to, of = of}
if to == protocol.running then act.what = run() end
if protocol.over[to] then call('HSET', record, 'finishedAt', now) end
if to == protocol.finished then act.what, act.of = 'ended', countsOf(record) end
audit(chain, act, {record})
return {state, 1}
