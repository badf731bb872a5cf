/**
 * A chunk in hand is one hash: who has it, how far it has come, what became of it. 'at' → '<taker> <row> <epoch>': rows up to that one may have
 * been sent by that taker, each under the intent 'i <taker> 1.<row>', and their keys were claimed in that epoch (epoch.ts, 'opened'); 'd<row>' → JSON of settlements that were recorded together, the first of
 * that row; '<row>' → the mark of a row that has left the order, which goes before the others ('-': it is unsent); 'n' → how many rows
 * have their outcome; 'v' → how often an outcome was changed. A row's mark is the first of: its own, its settlement among those
 * recorded together, the intent that the order gives it.
 */
/**
 * Lua that declares order(at): taker, row, epoch; together(key): settlements that were recorded together, by row; marksOf(key, rows): the mark of each, by row,
 * false for none; unmark(key, row): the row is unsent again.
 */
export const OPEN_CHUNK = `
local function together(key)
  local settled, all = {}, redis.call('HGETALL', key)
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 1) == 'd' then
      for _, settlement in ipairs(cjson.decode(all[i + 1])) do settled[tostring(settlement[1])] = cjson.encode(settlement) end
    end
  end
  return settled
end
local function order(at)
  local by, last, epoch = string.match(at or '', '^(%S+) (%d+) (%S*)$')
  return by, tonumber(last or '0'), epoch
end
local function marksOf(key, rows)
  local found = redis.call('HMGET', key, 'at', unpack(rows))
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
  local _, last = order(redis.call('HGET', key, 'at'))
  if tonumber(row) <= last then redis.call('HSET', key, row, '-')
  else redis.call('HDEL', key, row) end
end
`;
//# sourceMappingURL=open-chunk.js.map