-- An adoption is taken back: a key that no run has used is known no more, and its row is cancelled;
-- so is one of which somebody says that its id is wrong.
-- KEYS: record, prefix of chunks, blocks, late, the audit's chain.
-- ARGV: link, run, stub of the audit's entry, why as JSON, JSON of {areNamed: whatever runs made of
-- them, metCounts: a run that had the key in its file has used it, entries: {row, chunk, settled:
-- how the row ends, key, fields: places}}.
-- Answers the rows whose keys stay known. Sent again after a lost reply, it answers the same.

--- @include "parts/audit"
--- @include "parts/key-entries"

local record, chunks, blocks, late, chain = unpack(KEYS)
local link, run, stub, why, asked = ARGV[1], ARGV[2], ARGV[3], ARGV[4], cjson.decode(ARGV[5])

-- 'known', 'back' where it was taken back before, 'used'.
local function stateOf(e)
  local field, text = placeOf(e.key.digest)
  local entry = call('HGET', e.key.bucket, field)
  if not isEntryOf(entry, text, run, tostring(e.row)) then return 'used' end
  local kind, _, _, _, content = partsOf(entry)
  if kind == protocol.givenBack then return 'back' end
  if asked.areNamed then return 'known' end
  local isUpdated = content ~= '' or call('HEXISTS', e.fields.bucket, e.fields.digest) == 1
  local isMet = call('HEXISTS', e.key.bucket, field .. protocol.metSuffix) == 1
  local isUsed = isUpdated or (asked.metCounts and isMet)
  return isUsed and 'used' or 'known'
end

local function takeBack(e)
  local row = tostring(e.row)
  putKey(e.key.bucket, e.key.digest, protocol.givenBack, run, row, '')
  if call('HEXISTS', blocks, e.chunk) == 1 then
    call('HSET', late, row, e.settled)
  else
    call('HSET', chunks .. e.chunk, row, e.settled)
    call('HINCRBY', chunks .. e.chunk, protocol.changes, 1)
  end
end

local kept, known = {}, {}
for _, e in ipairs(asked.entries) do
  local state = stateOf(e)
  if state == 'used' then kept[#kept + 1] = tostring(e.row) end
  if state == 'known' then known[#known + 1] = e end
end
if #known == 0 then return kept end
if isLinkStale(chain, link) then return staleLink() end

for _, e in ipairs(known) do takeBack(e) end
call('HINCRBY', record, protocol.outcomeField .. protocol.adopted, -#known)
call('HINCRBY', record, protocol.outcomeField .. protocol.cancelled, #known)
local of = '{"count":' .. #known .. ',"kept":' .. #kept .. ',"why":' .. why .. '}'
audit(chain, {link = link, stub = stub, what = 'adoption-undone', of = of}, {record})
return kept
