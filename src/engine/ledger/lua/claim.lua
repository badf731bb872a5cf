-- Claims keys for rows, in file order. Running it again for the same rows gives the same answers.
-- KEYS: prefix of the identity buckets. ARGV: run, seconds the bucket lives (0: for ever), then
-- bucket, digest, row, …
-- A given-back key is free for other runs, yet still a duplicate within its own, so that what a
-- file's second row with the key becomes never depends on timing.
-- Answers the epoch, then for each row that has not its key: its number (1: the first), the entry
-- that keeps it from it (`answerOf`), and the row of this run that met that entry before; '0':
-- none. What each row becomes is decided by `claimOf` (model/identity.ts).

--- @include "parts/in-epoch"
--- @include "parts/key-entries"

local prefix = KEYS[1]
local run, ttl = table.remove(ARGV, 1), table.remove(ARGV, 1)
local asked = ARGV

-- Leaves word that a row of this run met another run's entry; answers which row did before.
local function meet(bucket, field, row)
  local seen = call('HGET', bucket, field .. protocol.metSuffix)
  local seenRun, seenRow = string.match(seen or '', '^(%S+) (%d+)')
  if seenRun == run and seenRow ~= row then return seenRow end
  call('HSET', bucket, field .. protocol.metSuffix, run .. ' ' .. row)
  return '0'
end

-- What stands in the way of the row, and who met it before; nil: the key is the row's.
local function obstacle(bucket, digest, row)
  local field, text = placeOf(digest)
  local own = call('HGET', bucket, field)
  local _, _, ownRun, ownRow = partsOf(own)
  if ownRun == run then
    if ownRow == row then return nil end
    return own, '0'
  end

  local other = otherOf(bucket, digest)
  if not other then
    putKey(bucket, digest, protocol.claimed, run, row, '')
    return nil
  end
  local _, otherText = partsOf(other)
  if otherText ~= text then return other, '0' end
  return other, meet(bucket, field, row)
end

local out = {opened}
for i = 1, #asked, 3 do
  local bucket, digest, row = prefix .. asked[i], asked[i + 1], asked[i + 2]
  local field, text, _, isExact = placeOf(digest)
  -- Most keys are free: to look first would be another command for each.
  local entry = entryOf(protocol.claimed, text, run, row, '')
  if isExact or call('HSETNX', bucket, field, entry) == 0 then
    local held, metBy = obstacle(bucket, digest, row)
    if held then out[#out + 1] = {tostring((i + 2) / 3), metBy, answerOf(held, text)} end
  end
  if ttl ~= '0' then call('EXPIRE', bucket, ttl) end
end
return out
