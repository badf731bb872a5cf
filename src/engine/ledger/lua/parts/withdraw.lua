--- @include "parts/open-chunk"

-- Probing is left to the next row, where the row of that mark probed.
local function endProbe(breaker, mark)
  if call('HGET', breaker, 'probe') == mark then call('HDEL', breaker, 'probing', 'probe') end
end

-- Takes intents back under which nothing was received, so that the row is unsent again. Only this
-- very mark is removed. `rows`: {chunk, row, mark}. Answers for each whether it was there: 1 or 0.
local function withdraw(keys, rows)
  local out = {}
  for i, asked in ipairs(rows) do
    local chunk, row, mark = asked[1], tostring(asked[2]), asked[3]
    local chunkKey = keys.chunks .. chunk
    local isThere = marksOf(chunkKey, {row})[row] == mark
    if isThere then
      unmark(chunkKey, row)
      endProbe(keys.breaker, mark)
    end
    out[i] = isThere and 1 or 0
  end
  return out
end
