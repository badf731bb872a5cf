-- Puts lost intents back, with their keys' claims. May run twice, and on a ledger that lost
-- nothing.
-- KEYS: prefix of chunks, blocks. ARGV: run, JSON of intents: chunk, row, mark, key,
-- fields.
-- A row with an outcome stays as it is, and so does its key, which may have been given back. An
-- earlier intent of the same process gives way; with one of another process the row is conflicting.

--- @include "parts/key-entries"
--- @include "parts/accounts"
--- @include "parts/content"
--- @include "parts/open-chunk"
--- @include "parts/whose-intent"

local chunks, blocks = KEYS[1], KEYS[2]
local run, intents = ARGV[1], cjson.decode(ARGV[2])

-- A journal knows its process' intents best: one it no longer names was withdrawn. nil: what stands
-- there is an outcome.
local function markOver(current, mark)
  if not current or processOf(current) == processOf(mark) then return mark end
  return isIntent(current) and protocol.conflicting or nil
end

local function claimAgain(row, key)
  local field = placeOf(key.digest)
  if not isTaken(call('HGET', key.bucket, field)) then
    putKey(key.bucket, key.digest, protocol.claimed, run, row, '')
  end
  putAccounts(key.accounts, protocol.claimed, run, row)
end

local function putBack(e)
  if call('HEXISTS', blocks, e.chunk) == 1 then return end
  local chunkKey, row = chunks .. e.chunk, tostring(e.row)
  local current = marksOf(chunkKey, {row})[row]
  local stands = markOver(current, e.mark)
  if not stands then return end
  if current ~= stands then call('HSET', chunkKey, row, stands) end
  if e.key then claimAgain(row, e.key) end
  if e.fields then forgetFields(e.fields) end
end

for _, e in ipairs(intents) do putBack(e) end
return 1
