/**
 * A chunk in hand is one hash: who has it, how far it has come, what became of it. 'at' → '<taker> <row>
 * <epoch>': rows up to that one may have been sent by that taker, each under the intent 'i <taker> 1.<row>',
 * and their keys were claimed in that epoch (epoch.ts, 'opened'); 'd<row>' → JSON of settlements that were
 * recorded together, the first of that row; '<row>' → the mark of a row that has left the order, which goes
 * before the others ('-': it is unsent); 'n' → how often an outcome was recorded or changed, which never goes
 * back. A row's mark is the first of: its own, its settlement among those recorded together, the intent that
 * the order gives it.
 */

/*
 * What happens to the hash. Each line is one script; what it compares and what it changes is one step.
 *
 * | what happens                        | script            | only where                                  | then                                        |
 * | ----------------------------------- | ----------------- | ------------------------------------------- | ------------------------------------------- |
 * | a worker takes the chunk            | TAKE              | -                                           | nothing changes: all is read                |
 * | rows in their order are to go       | EXCHANGE, a range | 'at' is this take's, or as it was read; no  | 'at' is this take's, up to the last of them; |
 * |                                     |                   | mark of a row's own but '-'                 | rows before it that wait keep what they had |
 * | a row by itself: later attempt,     | EXCHANGE, an      | its mark is the expected one, or the very   | its own mark is the intent                  |
 * | group, rate, followed fields        | intent            | one that is asked for                       |                                             |
 * | a take-over of a lost worker's row  | the same          | its mark is that worker's intent            | the intent is the new taker's               |
 * | nothing was received under it       | WITHDRAW          | it is the row's mark                        | '-' within the order, else no mark          |
 * | rows accepted in their order        | EXCHANGE          | each one's mark is what the order gives it  | 'd<row>', 'n'                               |
 * | any other end                       | EXCHANGE          | the mark is this take's, or the service     | its own mark is the settlement; 'n'         |
 * |                                     |                   | accepted it; it has no outcome              |                                             |
 * | a late answer for a row in doubt    | EXCHANGE          | it is in doubt, and the answer is definite  | the settlement, 'n'; closed: the late ones  |
 * | a second outcome                    | EXCHANGE          | never                                       | it is answered as not recorded              |
 * | a person decides on a row in doubt  | RESOLVE           | it is in doubt                              | the settlement, 'n'; closed: the late ones  |
 * | a journal is put back: outcomes     | REPLAY_SETTLED    | as any other end, intents of one process    | the same                                    |
 * |                                     |                   | counting as one                             |                                             |
 * | a journal is put back: intents      | REPLAY_INTENT     | no mark, or one of that process             | its own mark is the intent                  |
 * | two journals name one row           | REPLAY_*          | its mark is another process' intent         | contested: only an acceptance ends it, or a |
 * |                                     |                   |                                             | take that finds it in doubt                 |
 * | the run is paused or cancelled      | EXCHANGE          | asked again for what was granted before     | 'halted', and the intent is taken back      |
 * | the chunk is closed                 | EXCHANGE, CLOSE   | 'n' is as it was read                       | all rows are one block; the hash is gone    |
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
