-- What missing workers sent is partly unknown: rows without a mark may have been sent, up to the
-- highest chunk that a worker may have had. Where the run's reader doesn't vouch for that chunk, a
-- missing worker may have read on, and Redis may have lost that.
-- KEYS: epoch, records of runs with open chunks.

--- @include "parts/verification"

local epoch = table.remove(KEYS, 1)
local records = KEYS
local now = verification(epoch)

for _, record in ipairs(records) do
  local found = call('HMGET', record, 'id', 'added', 'vouched', protocol.possiblySent, 'chunks')
  local id, added, vouched, before, chunks = unpack(found)
  local upTo = tonumber(vouched == now and added or chunks)
  if id then call('HSET', record, protocol.possiblySent, math.max(upTo, tonumber(before or '0'))) end
end
return 1
