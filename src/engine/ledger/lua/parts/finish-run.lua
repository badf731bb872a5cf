--- @include "parts/audit"

-- Whether a run whose chunks are all blocks, with so many more of them, is finished, or wound up by
-- its last one.
local function isRunWhole(record, blocks, chunks, more)
  if call('HLEN', blocks) + more < tonumber(chunks) then return false end
  local state = call('HGET', record, 'state')
  return state ~= protocol.finished and (state ~= protocol.cancelled or more > 0)
end

local function finishRun(record, now, chain, act)
  if call('HGET', record, 'state') ~= protocol.cancelled then
    call('HSET', record, 'state', protocol.finished, 'reason', '', 'request', '', 'finishedAt', now)
  end
  act.what, act.of = 'ended', countsOf(record)
  audit(chain, act, {record})
end
