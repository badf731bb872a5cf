/**
 * The part of the exchange (rows.ts) that grants intents. Rows go in their chunk's order, by
 * ranges, or each by itself. Either way it is a compare-and-set, so that two workers never send one
 * row. All gates are asked here: the run's state, the service's breaker and hold, and what a lost
 * worker may have sent.
 */

import { TURN_BACK } from './breaker.ts';

/**
 * Lua: grant(i), a compare-and-set that marks rows as about to be sent. No row is sent without a
 * grant.
 * From the i-th of ARGV on: ms that a probe may take, are fields followed (0|1), number of ranges,
 * then
 * - each range: chunk, taker, 'at' as it was read, the row up to which this take has come, may the
 *   rows be sent though a lost worker may have sent them (0|1), the epoch of their claims, how many
 *   rows, how many rows apart, the rows, the rows apart each with its mark;
 * - groups of single rows: chunk, mark, does the row's number belong to it (0|1), expected mark
 *   ('': none), may they be sent though a lost worker may have sent them (0|1), how many rows, and
 *   of each row: number, bucket key of its key ('' none), digest, and where fields are followed:
 *   bucket key of the record's field digests ('' none), digest, their value when the request was
 *   made, their value while it is under way.
 * Answers place (1: the first row), reason, … of rows that are not granted: 'taken': another worker
 * has or had it; 'halted': the run is not running; 'unclaimed': see outOfOrder; 'held <entry>':
 * Redis forgot the claim, and the key is another row's now; 'hold <ms>': the service asked for a
 * hold; 'wait <ms>': the breaker is open or another row probes.
 *
 * The service's values of followed fields count as unknown from here until the answer is recorded,
 * whatever happens to worker and run. A second call (after a lost reply or a wait) grants the same
 * mark again, and takes it back where the row may no longer go. Marks are read and written group by
 * group: a command per row would cost several times as much.
 */
export const GRANT = `
${TURN_BACK}
local function grant(i)
local state = redis.call('HMGET', KEYS[1], 'state', 'suspect')
local probeMs = tonumber(ARGV[i])
local running = state[1] == 'running'
local suspect = tonumber(state[2] or '0')
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
turnBack(KEYS[9], now)
local breaker = redis.call('HMGET', KEYS[9], 'hold', 'until', 'probing', 'probe')
local hold = tonumber(breaker[1] or '0')
local open = tonumber(breaker[2] or '0')
local probing = tonumber(breaker[3] or '0')
local probe = breaker[4]

local function wait()
  if hold > now then return hold - now end
  if open == 0 then return 0 end
  if open > now then return open - now end
  if probing > now then return math.min(probing - now, 250) end
  return 0
end

-- Redis may have lost the ingest's claim: it is claimed again here, unless another row has the key.
local function holder(row, bucket, digest)
  if bucket == '' then return nil end
  local field, text = placeOf(digest)
  local held = redis.call('HGET', bucket, field)
  if isTaken(held) and isOf(held, text, ARGV[1], row) then return nil end
  local other = otherOf(bucket, digest)
  if not other then putKey(bucket, digest, 'c', ARGV[1], row, '') end
  return other
end

local function unknownFields(key, digest, before, own)
  if key == '' then return end
  local stored = redis.call('HGET', key, digest) or ''
  if stored == before or stored == own then redis.call('HSET', key, digest, own)
  else redis.call('HSET', key, digest, '~') end
end

-- The mark was granted before and nothing was sent under it: the row gets its earlier mark back.
local function takeBack(group, row, mark)
  if group.expected == '' then unmark(group.key, row)
  else redis.call('HSET', group.key, row, group.expected) end
  if mark == probe then redis.call('HDEL', KEYS[9], 'probing', 'probe') end
end

-- nil: granted.
local function refusal(group, current, row, bucket, digest)
  local mark = group.isNumbered and group.mark .. row or group.mark
  if not running then
    if current == mark then takeBack(group, row, mark) end
    return 'halted'
  end
  local fresh = current == '' or current == mark
  if not group.open or (fresh and group.isSuspect) then return 'taken' end
  if current ~= mark and current ~= group.expected then return 'taken' end
  local ms = mark == probe and current == mark and 0 or wait()
  if ms > 0 then
    if current == mark then takeBack(group, row, mark) end
    return (hold > now and 'hold ' or 'wait ') .. ms
  end
  if current == mark then return nil end
  local other = holder(row, bucket, digest)
  if other then return 'held ' .. other end
  group.new[#group.new + 1] = row
  group.new[#group.new + 1] = mark
  if open > 0 then
    probing = now + probeMs
    probe = mark
    redis.call('HSET', KEYS[9], 'probing', probing, 'probe', mark, 'at', now)
  end
  return nil
end

-- One long value makes this short-lived hash a table: a compact one is searched field by field.
local function put(key, new)
  if redis.call('EXISTS', key) == 1 then
    redis.call('HSET', key, unpack(new))
  else
    redis.call('HSET', key, 'table', string.rep(' ', 129), unpack(new))
    redis.call('HDEL', key, 'table')
  end
end

-- Rows that left the order, or that the taker before left in doubt, keep their marks.
local function keepApart(key, apart)
  local rows = {}
  for j = 1, #apart, 2 do rows[#rows + 1] = apart[j] end
  if #rows == 0 then return end
  local marks, own = marksOf(key, rows), redis.call('HMGET', key, unpack(rows))
  for j, row in ipairs(rows) do
    local mark = apart[2 * j]
    if not own[j] and (marks[row] or '-') == mark then redis.call('HSET', key, row, mark) end
  end
end

-- Why no row of the chunk may go; nil: they may.
local function barrier(range)
  if not running then return 'halted' end
  if redis.call('HEXISTS', KEYS[3], range.chunk) == 1 then return 'taken' end
  if not range.repeatable and tonumber(range.chunk) <= suspect then return 'taken' end
  if range.probes then return nil end
  local ms = wait()
  return ms > 0 and (hold > now and 'hold ' or 'wait ') .. ms or nil
end

-- Why a row that was not granted before can't go in order; false: it goes. A taker's order never
-- goes back: a row behind it was sent by that taker or has left the order. Another's order is taken
-- over only as it was read.
local function outOfOrder(range, number, own)
  if range.mine then
    if number <= range.from or (own and number <= range.last) then return 'taken' end
  elseif range.at ~= range.seen or (not own and number <= range.last) then return 'taken' end
  if own and own ~= '-' then return 'taken' end
  return OPENED ~= range.claimed and 'unclaimed'
end

-- Answers for each of the rows why it can't go; false: it goes.
local function grantRange(range)
  local key, rows, answers = KEYS[2] .. range.chunk, range.rows, {}
  local by, last = order(range.at)
  range.mine, range.last = by == range.taker, last
  local prefix = 'i ' .. range.taker .. ' 1.'
  range.probes = range.mine and probe == prefix .. rows[1] and tonumber(rows[1]) <= last
  local why = barrier(range)
  local own = redis.call('HMGET', key, unpack(rows))
  local upTo = 0
  for j, row in ipairs(rows) do
    local number = tonumber(row)
    -- Put back from a journal, or granted before in a reply that was lost.
    local isMarked = own[j] == prefix .. row
    local isGranted = isMarked or (range.mine and number > range.from and number <= last and not own[j])
    local answer = why or false
    if not answer and open > 0 and j > 1 then answer = 'wait 250' end
    if not answer and not isMarked then answer = outOfOrder(range, number, own[j]) end
    -- Takes back a grant that no longer holds. But 'taken' proves nothing.
    if answer and isGranted and answer ~= 'taken' then
      if number <= last then redis.call('HSET', key, row, '-') else redis.call('HDEL', key, row) end
      if prefix .. row == probe then redis.call('HDEL', KEYS[9], 'probing', 'probe') end
    end
    if not answer and not isMarked then upTo = math.max(upTo, number) end
    answers[j] = answer
  end
  if upTo == 0 then return answers end
  keepApart(key, range.apart)
  for j, row in ipairs(rows) do
    if own[j] == '-' and not answers[j] then redis.call('HDEL', key, row) end
  end
  redis.call('HSET', key, 'at', range.taker .. ' ' .. string.format('%.0f', math.max(upTo, last)) .. ' ' .. OPENED)
  if open > 0 and not range.probes then
    probing = now + probeMs
    probe = prefix .. rows[1]
    redis.call('HSET', KEYS[9], 'probing', probing, 'probe', probe, 'at', now)
  end
  return answers
end

local out = {}
local place = 0
local function tell(answer)
  place = place + 1
  if not answer then return end
  out[#out + 1] = tostring(place)
  out[#out + 1] = answer
end
local ranges = tonumber(ARGV[i + 2])
local FOLLOWS = ARGV[i + 1] == '1'
i = i + 3
for _ = 1, ranges do
  local range = {chunk = ARGV[i], taker = ARGV[i + 1], seen = ARGV[i + 2], from = tonumber(ARGV[i + 3]), repeatable = ARGV[i + 4] == '1', claimed = ARGV[i + 5], rows = {}, apart = {}}
  range.at = redis.call('HGET', KEYS[2] .. range.chunk, 'at') or ''
  local first = i + 8
  i = first + ARGV[i + 6] + ARGV[i + 7] * 2
  for at = first, i - 1 do
    if #range.rows < tonumber(ARGV[first - 2]) then range.rows[#range.rows + 1] = ARGV[at]
    else range.apart[#range.apart + 1] = ARGV[at] end
  end
  for _, answer in ipairs(grantRange(range)) do tell(answer) end
end
local WIDTH = FOLLOWS and 7 or 3
while i <= #ARGV do
  local chunk = ARGV[i]
  local group = {key = KEYS[2] .. chunk, mark = ARGV[i + 1], isNumbered = ARGV[i + 2] == '1', expected = ARGV[i + 3], new = {}}
  group.isSuspect = ARGV[i + 4] == '0' and tonumber(chunk) <= suspect
  group.open = redis.call('HEXISTS', KEYS[3], chunk) == 0
  local first = i + 6
  i = first + ARGV[i + 5] * WIDTH
  local rows = {}
  for at = first, i - 1, WIDTH do rows[#rows + 1] = ARGV[at] end
  local marks = marksOf(group.key, rows)
  for j, row in ipairs(rows) do
    local at = first + (j - 1) * WIDTH
    local answer = refusal(group, marks[row] or '', row, ARGV[at + 1], ARGV[at + 2])
    tell(answer)
    if not answer and WIDTH > 3 then unknownFields(ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]) end
  end
  if #group.new > 0 then put(group.key, group.new) end
end
return out
end
`;
