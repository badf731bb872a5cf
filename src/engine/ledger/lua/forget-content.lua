-- Takes the digests of content of a run's records that no later run has met; their keys stay known.
-- ARGV: run, '1' where accounts stay known, then of each record bucket and digest of its key, of
-- its fields, …

--- @include "parts/key-entries"
--- @include "parts/content"

local run, keepsAccounts = table.remove(ARGV, 1), table.remove(ARGV, 1) == '1'
local places = ARGV

-- The run that had the record in its file last.
local function lastRun(bucket, field)
  local met = string.match(call('HGET', bucket, field .. protocol.metSuffix) or '', '^(%S+) %d+')
  if met then return met end
  local _, _, creator = partsOf(call('HGET', bucket, field))
  return creator
end

local function accountsOf(content)
  local accounts = string.sub(content, protocol.wholeLength + 1)
  if not keepsAccounts or accounts == '' then return '' end
  return string.rep(protocol.wholeUnknown, protocol.wholeLength) .. accounts
end

for i = 1, #places, 4 do
  local key = {bucket = places[i], digest = places[i + 1]}
  local field = placeOf(key.digest)
  if lastRun(key.bucket, field) == run then
    local _, _, _, _, content = partsOf(call('HGET', key.bucket, field))
    putContent(key, accountsOf(content))
    call('HDEL', places[i + 2], places[i + 3])
  end
end
return 1
