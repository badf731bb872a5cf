import { CONTESTED_MARK } from '../mark.ts';
import { CLEAR_UP } from './weather.ts';

/** Whose intent a mark is: of one take, whatever the attempt. */
const BY_TAKE = `
local REPLAYED = false
local function taker(mark) return string.match(mark or '', '^i (%S+) ') end
`;

/** Whose intent a mark is: of one process, whichever of its takes; a process is the first part of its takers' names. */
export const BY_PROCESS = `
local function taker(mark) return string.match(mark or '', '^i ([^ .]+)%.') or string.match(mark or '', '^i (%S+) ') end
`;

/**
 * Records outcomes: the row's mark, its key's identity, what its report needs, and the counters, in one step.
 * KEYS: record, prefix of chunks, blocks, late, doubts, sources, bodies, documents, weather, resolutions. ARGV: run, JSON, then groups of rows
 * that the service accepted just now, under an intent, of which nothing else is kept: chunk, that mark, does the row's number belong to it (0|1), outcome, how many, and of each row, settlement,
 * bucket key of its key's identity ('' none), digest, id. The JSON is of all other rows:
 * [[chunk, row, outcome, settlement, bucket key ('' none), digest, identity ('k'|'d'|'x'|''), id, source, body, documents,
 *   the mark the settler left or found ('' none), accepted by the service (0|1), answered by it just now (0|1), the first row of its
 *   group (0: it has a mark of its own), and where the record's fields are followed: bucket key, digest, their digests before, after ('' not known)], …].
 * The first definite outcome stays; it replaces 'in-doubt', never the other way round, also after the chunk was closed.
 * A take that gave up (no mark: its intent is withdrawn) says nothing of what is in doubt: another's request.
 * What the service accepted also replaces a person's decision that the row was not created.
 * A take's own intents count as one, whatever the attempt: a replayed journal may meet an earlier one.
 * Over another taker's intent only what the service accepted is recorded: a refusal says nothing of the other's request.
 * A row of a group without a mark of its own ends only as the group's first row does.
 * Answers the places (1: the first of the groups, those of the JSON follow) of rows that were not recorded: they had their outcome, or are another's.
 */
const RECORD = `
local run = ARGV[1]
-- Before anything is written: what a script has done is not undone where it stumbles, and would be counted nowhere.
local decoded = cjson.decode(ARGV[2])
local out = {}
local WEATHER = KEYS[9]
local answered = false
local ANSWERED = {}
local counts = {}
local function count(outcome, by) counts[outcome] = (counts[outcome] or 0) + by end
local function keep(key, row, value)
  if value ~= '' then redis.call('HSET', key, row, value) end
end
local function identity(row, bucket, digest, becomes, id)
  if bucket == '' then return end
  local held = redis.call('HGET', bucket, digest)
  local owner = ' ' .. run .. ' ' .. row .. ' '
  if held and string.sub(held, 2, #owner + 1) ~= owner then return end
  redis.call('HSET', bucket, digest, becomes .. owner .. id)
end
local function fields(e)
  if not e[16] then return end
  if (redis.call('HGET', e[16], e[17]) or '') == e[18] and e[19] ~= '' then redis.call('HSET', e[16], e[17], e[19])
  else redis.call('HDEL', e[16], e[17]) end
end
local entries = {}
local place = 0
-- Nearly all rows are so, and stand under that very intent: without JSON, and with no more questions than that takes half the time.
local i = 3
while i <= #ARGV do
  local chunk, shared, isNumbered, outcome, first = ARGV[i], ARGV[i + 1], ARGV[i + 2] == '1', ARGV[i + 3], i + 5
  local key, rows, new = KEYS[2] .. chunk, {}, {}
  i = first + ARGV[i + 4] * 5
  for at = first, i - 1, 5 do rows[#rows + 1] = ARGV[at] end
  local marks = redis.call('HMGET', key, unpack(rows))
  for j, row in ipairs(rows) do
    local at = first + (j - 1) * 5
    local settlement, bucket, digest, id = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4]
    local mark = isNumbered and shared .. row or shared
    place = place + 1
    ANSWERED[mark] = true
    if marks[j] == mark then
      new[#new + 1] = row
      new[#new + 1] = settlement
      identity(row, bucket, digest, 'k', id)
    else
      entries[#entries + 1] = {chunk, row, outcome, settlement, bucket, digest, 'k', id, '', '', '', mark, 1, 1, 0, place = place}
    end
  end
  if #new > 0 then
    redis.call('HSET', key, unpack(new))
    count(outcome, #new / 2)
  end
  answered = true
end
for _, e in ipairs(decoded) do
  place = place + 1
  e.place = place
  entries[#entries + 1] = e
end
-- Marks are read and written chunk by chunk: a command for each row would cost several times as much.
local chunks = {}
for _, e in ipairs(entries) do
  local chunk = tostring(e[1])
  local of = chunks[chunk]
  if not of then
    of = {key = KEYS[2] .. chunk, rows = {}, marks = {}, new = {}}
    chunks[chunk] = of
  end
  of.rows[#of.rows + 1] = tostring(e[2])
end
for _, of in pairs(chunks) do
  for j, mark in ipairs(redis.call('HMGET', of.key, unpack(of.rows))) do of.marks[of.rows[j]] = mark end
end
local function put(of, row, mark)
  of.marks[row] = mark
  of.new[#of.new + 1] = row
  of.new[#of.new + 1] = mark
end
-- A row without a mark of its own is judged by its group's first row: it may be in another taker's hands, or have ended otherwise.
local function leadDiffers(e, of)
  if not e[15] or e[15] == 0 then return false end
  local row = tostring(e[15])
  local lead = of.marks[row]
  if lead == nil then lead = redis.call('HGET', of.key, row) end
  if not lead then return false end
  if string.sub(lead, 1, 1) == '[' then return cjson.decode(lead)[4] ~= e[3] end
  return taker(lead) ~= taker(e[12]) and e[13] ~= 1
end
for _, e in ipairs(entries) do
  local chunk, row, outcome, settlement = tostring(e[1]), tostring(e[2]), e[3], e[4]
  local of = chunks[chunk]
  local current = of.marks[row]
  local settled = current and string.sub(current, 1, 1) == '['
  local closed = not current and redis.call('HEXISTS', KEYS[3], chunk) == 1
  local doubted = (settled or closed) and redis.call('HEXISTS', KEYS[5], row) == 1
  local foreign = current and not settled and taker(current) ~= taker(e[12]) and e[13] ~= 1
  if not current and not closed and leadDiffers(e, of) then foreign = true end
  if e[14] == 1 then
    answered = true
    ANSWERED[e[12]] = true
  end
  local decided = e[13] == 1 and (settled or closed) and not doubted and redis.call('HGET', KEYS[10], row)
  local overruled = decided and string.find(decided, '"decision":"not-created"', 1, true)
  local gaveUp = outcome == 'failed' and e[12] == ''
  local recorded = 1
  if foreign then
    recorded = 0
    if REPLAYED and current and outcome == 'in-doubt' then put(of, row, '${CONTESTED_MARK}') end
  elseif not settled and not closed then
    put(of, row, settlement)
  elseif overruled or (doubted and outcome ~= 'in-doubt' and not gaveUp) then
    if closed then redis.call('HSET', KEYS[4], row, settlement)
    else
      put(of, row, settlement)
      redis.call('HINCRBY', of.key, 'v', 1)
    end
    if overruled then
      count('failed', -1)
      redis.call('HSET', KEYS[10], row .. ' overruled', decided)
      redis.call('HDEL', KEYS[10], row)
    else count('in-doubt', -1) end
    redis.call('HDEL', KEYS[5], row)
    redis.call('HDEL', KEYS[6], row)
  else
    recorded = 0
  end
  if recorded == 1 then
    count(outcome, 1)
    if outcome == 'in-doubt' then redis.call('HSET', KEYS[5], row, chunk) end
    identity(row, e[5], e[6], e[7], e[8])
    fields(e)
    keep(KEYS[6], row, e[9])
    keep(KEYS[7], row, e[10])
    keep(KEYS[8], row, e[11])
  else out[#out + 1] = e.place end
end
for _, of in pairs(chunks) do
  if #of.new > 0 then redis.call('HSET', of.key, unpack(of.new)) end
end
for outcome, by in pairs(counts) do redis.call('HINCRBY', KEYS[1], 'o:' .. outcome, by) end
if answered then ${CLEAR_UP} end
return out
`;

export const SETTLE = BY_TAKE + RECORD;

/**
 * As SETTLE, from the journal of the process that settled. Of what it wrote itself the journal knows best: where an intent of
 * another of its takes stands on the row, Redis went back to before that was withdrawn. Over an intent of another process a row
 * in doubt is contested: that one's withdrawal must not free it.
 */
export const REPLAY_SETTLED = `${BY_PROCESS}
local REPLAYED = true
${RECORD}`;
