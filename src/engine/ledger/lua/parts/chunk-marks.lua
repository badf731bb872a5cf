--- @include "parts/open-chunk"
--- @include "parts/whose-intent"

local function fieldsOf(chunkKey)
  local fields, all = {}, call('HGETALL', chunkKey)
  for i = 1, #all, 2 do fields[all[i]] = all[i + 1] end
  return fields
end

-- Which of these rows have an intent by the watermark: no mark of their own, and no settlement.
local function addIntents(marks, watermark, rows, settled)
  local token, last = parseWatermark(watermark)
  for _, number in ipairs(rows) do
    local row = tostring(number)
    if number <= last and not marks[row] and not settled[row] then marks[row] = intentOf(token, row) end
  end
end

local function rowsIn(settledTexts)
  local settled = {}
  for _, text in ipairs(settledTexts) do
    for _, settlement in ipairs(cjson.decode(text)) do
      local isBox = type(settlement) == 'string'
      if not isBox then settled[tostring(settlement[protocol.rowAt])] = true end
    end
  end
  return settled
end

-- What an open chunk holds, for its worker and for those who look; `rows`: those whose intents are
-- wanted. Answers its watermark; how often an outcome was recorded or changed; the texts of
-- settlements that were recorded together; then row, mark, process of the intent ('': none), …
-- which go before those. A mark '-': the row is unsent.
local function chunkMarks(chunkKey, rows)
  local marks, texts = {}, {}
  local fields = fieldsOf(chunkKey)
  for name, value in pairs(fields) do
    if tonumber(name) then marks[name] = value end
    if string.sub(name, 1, 1) == protocol.together then texts[#texts + 1] = value end
  end

  local watermark = fields[protocol.watermark] or ''
  if #rows > 0 and watermark ~= '' then addIntents(marks, watermark, rows, rowsIn(texts)) end

  local flat = {}
  for row, mark in pairs(marks) do
    flat[#flat + 1] = row
    flat[#flat + 1] = mark
    flat[#flat + 1] = isIntent(mark) and processOf(mark) or ''
  end
  return watermark, fields[protocol.changes] or '0', texts, flat
end
