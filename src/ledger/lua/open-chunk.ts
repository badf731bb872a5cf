/**
 * A chunk in hand is one hash: who has it, how far it has come, what became of it.
 * - 'at': '<taker> <row> <epoch>': that taker may have sent the rows up to that one, each under the
 *   intent 'i <taker> 1.<row>'; their keys were claimed in that epoch ('opened', epoch.ts)
 * - 'd<row>': JSON of settlements that were recorded together, the first of that row; sealed, with
 *   one box of all of them at the end (mark.ts)
 * - '<row>': the mark of a row that left the order ('-': unsent)
 * - 'n': how often an outcome was recorded or changed; goes back only with Redis
 *
 * A row's mark is the first of: its own, its settlement in a 'd' field, the intent by the order.
 */

/**
 * Every change of the hash compares and changes in one step (marks that a take only keeps beside
 * its order are those that it read):
 * - EXCHANGE moves 'at' on from where this take left it, or from what it has read.
 * - A row by itself is marked over the expected mark alone, and freed from that very mark.
 * - An outcome is set where there is none; over another's intent only an acceptance. A doubt gives
 *   way to a definite answer, or to a person (RESOLVE); in a closed chunk among the late ones.
 * - REPLAY_* take all intents of one process for one. Over another's the row is contested: only an
 *   acceptance ends it, or a take that finds it in doubt.
 * - CLOSE compares 'n': all rows are one block, and the hash is gone.
 */

/**
 * Lua: order(at): taker, row, epoch; together(key): settlements that were recorded together, by
 * row; marksOf(key, rows): each row's mark, false for none; unmark(key, row): the row is unsent
 * again.
 */
export const OPEN_CHUNK = `
-- Each settlement's text and its row; a box goes along with each.
local function rowsTogether(text)
  local settlements = cjson.decode(text)
  local box = type(settlements[#settlements]) == 'string' and table.remove(settlements)
  local texts, rows = {}, {}
  for i, settlement in ipairs(settlements) do
    if box then settlement[11] = box end
    texts[i], rows[i] = cjson.encode(settlement), tostring(settlement[1])
  end
  return texts, rows
end
local function together(key)
  local settled, all = {}, call('HGETALL', key)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 1) == 'd' then
      local texts, rows = rowsTogether(all[i + 1])
      for j, text in ipairs(texts) do settled[rows[j]] = text end
    end
  end
  return settled
end
local function order(at)
  local by, last, epoch = string.match(at or '', '^(%S+) (%d+) (%S*)$')
  return by, tonumber(last or '0'), epoch
end
local function marksOf(key, rows)
  local found = call('HMGET', key, 'at', unpack(rows))
  local by, last = order(found[1])
  local settled
  local marks = {}
  for j, row in ipairs(rows) do
    local mark = found[j + 1]
    if not mark and tonumber(row) <= last then
      settled = settled or together(key)
      mark = settled[row] or 'i ' .. by .. ' 1.' .. row
    end
    marks[row] = mark ~= '-' and mark
  end
  return marks
end
local function unmark(key, row)
  local _, last = order(call('HGET', key, 'at'))
  if tonumber(row) <= last then call('HSET', key, row, '-')
  else call('HDEL', key, row) end
end
`;
