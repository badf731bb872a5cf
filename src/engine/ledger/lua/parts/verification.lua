--- @include "parts/server-id"

-- Which verification is under way. A former master that lived on comes back with its server run,
-- but before a later epoch.
local function verification(epoch)
  return serverId() .. ' ' .. (call('HGET', epoch, 'number') or '0')
end
