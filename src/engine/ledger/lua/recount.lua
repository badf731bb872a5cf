-- Replaces a run's numbers and the list of its doubts, unless they changed since its rows were
-- counted.
-- KEYS: record, blocks, doubts, the audit's chain.
-- ARGV: link, JSON of {counts: [[field, as it was, as it is], …], wrong: [[row, its chunk (0: not
-- in doubt)], …] where the list is, chunks: of the run, now (ISO), stub: of the entry}.
-- Answers 1: replaced; 0: they have changed.

--- @include "parts/finish-run"

local record, blocks, doubts, chain = unpack(KEYS)
local link, asked = ARGV[1], cjson.decode(ARGV[2])

for _, count in ipairs(asked.counts) do
  local field, was = count[1], count[2]
  if tonumber(call('HGET', record, field) or '0') ~= was then return 0 end
end
local isWhole = isRunWhole(record, blocks, asked.chunks, 0)
if isWhole and isLinkStale(chain, link) then return staleLink() end

for _, count in ipairs(asked.counts) do call('HSET', record, count[1], count[3]) end
for _, wrong in ipairs(asked.wrong) do
  local row, chunk = wrong[1], wrong[2]
  if chunk == 0 then
    call('HDEL', doubts, row)
  else
    call('HSET', doubts, row, chunk)
  end
end
if isWhole then finishRun(record, asked.now, chain, {link = link, stub = asked.stub}) end
return 1
