-- Puts what a purge leaves of a run's closed chunks in their place, and removes all else that is
-- personal, with the run's data key.
-- KEYS: record, blocks, open rows, the same two purged, the audit's chain, then what is removed.
-- ARGV: who and when (JSON), the file's name from now on, link, the entry's stub and `of`.
-- Answers 1. Done before, it is neither done nor told again.

--- @include "parts/audit"

local record, blocks, openRows, purgedBlocks, purgedOpenRows, chain = unpack(KEYS, 1, 6)
local removed = {unpack(KEYS, 7)}
local purged, file, link, stub, of = unpack(ARGV)

if cjson.decode(call('HGET', record, 'purged')).isDone then
  call('UNLINK', purgedBlocks, purgedOpenRows)
  return 1
end
if call('HLEN', purgedBlocks) ~= call('HLEN', blocks) then
  return redis.error_reply('not all rows of a run that is purged have been read: purge it again')
end
if isLinkStale(chain, link) then return staleLink() end

-- What a rename replaces is deleted in this script's time; unlinked before, it isn't.
call('UNLINK', blocks, openRows, unpack(removed))
if call('EXISTS', purgedOpenRows) == 1 then call('RENAME', purgedOpenRows, openRows) end
if call('EXISTS', purgedBlocks) == 1 then call('RENAME', purgedBlocks, blocks) end
call('HDEL', record, 'dataKey', 'right')
call('HSET', record, 'purged', purged, 'file', file)
audit(chain, {link = link, stub = stub, what = 'purged', of = of}, {record})
return 1
