-- Every script that moves rows includes this: nothing happens on a ledger that may have gone back
-- in time. It takes the last of KEYS (epoch) and the last four of ARGV (worker, the number of the
-- latest epoch that it knows, the highest of its sequence numbers that it knows to be recorded,
-- this command's); the script itself never sees them. It leaves `epoch`, `worker` and `opened`.
-- Errors:
-- - UNVERIFIED server: another run, an empty one, or one from before an epoch that the worker
--   knows (a former master that lived on)
-- - UNVERIFIED worker: what it had recorded is gone
--
-- The epoch's hash, with short names, since every worker reads them each second:
-- - 'server': the server run for which the ledger was last verified
-- - 'number': of the latest epoch, opened or to be opened
-- - 'opened': a name for the latest; claims carry it
-- - 'm:<worker>': its last sequence number; 'b:': when it was last heard of (ms)
-- - while the epoch is closed: 'checking': the server run; 'c:<worker>': the server run for which
--   the worker has put its journal back

--- @include "parts/server-id"

local epoch = table.remove(KEYS)
local sequence = tonumber(table.remove(ARGV))
local recorded = tonumber(table.remove(ARGV))
local epochNumber = tonumber(table.remove(ARGV))
local worker = table.remove(ARGV)

-- Why the script may not go on, and the name of the epoch that it is in.
local function enter()
  local found = call('HMGET', epoch, 'server', 'm:' .. worker, 'opened', 'number')
  local server, last, name, count = found[1], tonumber(found[2] or '-1'), found[3], found[4]
  if server ~= serverId() or tonumber(count or '0') < epochNumber then return protocol.unverified .. ' server' end
  if last < recorded then return protocol.unverified .. ' worker' end
  if last < sequence then call('HSET', epoch, 'm:' .. worker, sequence) end
  return nil, name
end

local unverified, opened = enter()
if unverified then return redis.error_reply(unverified) end
