-- A chunk whose rows are all settled becomes one block, with its open rows apart, and the run with
-- its last block is finished.
-- KEYS: record, prefix of chunks, blocks, open rows, the audit's chain.
-- ARGV: link, chunk, how often an outcome was recorded or changed ('n', parts/open-chunk) when it
-- was read, block, open rows ('': none), the run's chunks, now (ISO), the entry's stub.
-- Answers 1: it is closed, now or before; 0: something changed since.

--- @include "parts/in-epoch"
--- @include "parts/finish-run"

local record, chunks, blocks, openRows, chain = unpack(KEYS)
local link, chunk, seen, block, open, chunkCount, now, stub = unpack(ARGV)
local chunkKey = chunks .. chunk

local isNew = call('HEXISTS', blocks, chunk) == 0
if isNew and (call('HGET', chunkKey, protocol.changes) or '0') ~= seen then return 0 end
local isWhole = isRunWhole(record, blocks, chunkCount, isNew and 1 or 0)
if isWhole and isLinkStale(chain, link) then return staleLink() end

if isNew then
  -- First: of half a transaction they count for nothing, as long as there is no block.
  if open == '' then call('HDEL', openRows, chunk) else call('HSET', openRows, chunk, open) end
  call('HSET', blocks, chunk, block)
end
call('DEL', chunkKey)
if isWhole then finishRun(record, now, chain, {link = link, stub = stub}) end
return 1
