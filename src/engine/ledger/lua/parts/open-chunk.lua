-- A chunk in hand is one hash: who has it, how far it has come, what became of it.
-- - 'at' (the watermark): '<token> <row> <epoch>': the take of that fencing token may have sent the
--   rows up to that one, each under the intent 'i <token> 1.<row>'; their keys were claimed in that
--   epoch ('opened', in-epoch)
-- - 'd<row>': JSON of settlements that were recorded together, the first of that row; sealed, with
--   one box of all of them at the end (mark.ts)
-- - '<row>': the mark of a row by itself, or that left the order: intent, settlement, '-': unsent
-- - 'n': how often an outcome was recorded or changed; goes back only with Redis
--
-- A row's mark is the first of: its own, its settlement in a 'd' field, that by the watermark.
--
-- Every change of the hash compares and changes in one step (marks that a take only keeps beside
-- its watermark are those that it read):
-- - exchange moves the watermark on from where this take left it, or from what it has read.
-- - A row by itself is marked over the expected mark alone, and freed from that very mark.
-- - An outcome is set where there is none; over another's intent only an acceptance. A doubt gives
--   way to a definite answer, or to a person (resolve); in a closed chunk among the late ones.
-- - replay-* take all intents of one process for one. Over another's the row is conflicting: only
--   an acceptance ends it, or a take that finds it in doubt.
-- - close compares 'n': the rows are a block, and the hash is gone.

local function intentOf(token, row)
  return protocol.intent .. token .. protocol.firstAttempt .. row
end

local function isIntent(mark)
  return string.sub(mark, 1, #protocol.intent) == protocol.intent
end

local function isSettlement(mark)
  return mark and string.sub(mark, 1, 1) == protocol.settlement
end

-- Each settlement's text and its row; a box goes along with each.
local function rowsTogether(text)
  local settlements = cjson.decode(text)
  local box = type(settlements[#settlements]) == 'string' and table.remove(settlements)
  local texts, rows = {}, {}
  for i, settlement in ipairs(settlements) do
    if box then settlement[protocol.boxAt] = box end
    texts[i], rows[i] = cjson.encode(settlement), tostring(settlement[protocol.rowAt])
  end
  return texts, rows
end

-- Settlements that were recorded together, by row.
local function settledTogether(chunkKey)
  local settled, all = {}, call('HGETALL', chunkKey)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 1) == protocol.together then
      local texts, rows = rowsTogether(all[i + 1])
      for j, text in ipairs(texts) do settled[rows[j]] = text end
    end
  end
  return settled
end

-- Fencing token, row, epoch.
local function parseWatermark(watermark)
  local token, last, name = string.match(watermark or '', '^(%S+) (%d+) (%S*)$')
  return token, tonumber(last or '0'), name
end

-- Each row's mark, false for none.
local function marksOf(chunkKey, rows)
  local found = call('HMGET', chunkKey, protocol.watermark, unpack(rows))
  local token, last = parseWatermark(found[1])
  local settled
  local marks = {}
  for j, row in ipairs(rows) do
    local mark = found[j + 1]
    if not mark and tonumber(row) <= last then
      settled = settled or settledTogether(chunkKey)
      mark = settled[row] or intentOf(token, row)
    end
    marks[row] = mark ~= protocol.unsent and mark
  end
  return marks
end

-- The row is unsent again.
local function unmark(chunkKey, row)
  local _, last = parseWatermark(call('HGET', chunkKey, protocol.watermark))
  if tonumber(row) <= last then
    call('HSET', chunkKey, row, protocol.unsent)
  else
    call('HDEL', chunkKey, row)
  end
end
