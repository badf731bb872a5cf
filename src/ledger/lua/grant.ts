/**
 * The part of the exchange (rows.ts) that grants intents, to rows in their chunk's order or each by
 * itself. All gates are asked here: the run's state, the service's breaker and hold, and what a
 * lost worker may have sent.
 */

/**
 * Lua: grant(next, probeMs), a compare-and-set that marks rows as about to be sent, so that two
 * workers never send one (intent.ts has the form; `probeMs`: how long a probe may take).
 * Answers row, reason, … of rows that are not granted: 'taken': another worker has or had it;
 * 'halted': the run is not running; 'halted <reason>': it is to be paused for that; 'unclaimed':
 * see outOfOrder; 'held <entry>': Redis forgot the claim, and the key is another row's now; 'hold
 * <ms>': the service asked for a hold; 'wait <ms>': the breaker is open or another row probes.
 *
 * The service's values of followed fields count as unknown from here until the answer is recorded,
 * whatever happens to worker and run. A second call (after a lost reply or a wait) grants the same
 * mark again, and takes it back where the row may no longer go.
 */
export const GRANT = `
local function grant(next, probeMs)
local RECORD, CHUNKS, BLOCKS, BREAKER = KEYS[1], KEYS[2], KEYS[3], KEYS[9]
local state = call('HMGET', RECORD, 'state', 'suspect', 'pauseFor')
local halted = state[3] and 'halted ' .. state[3]
if state[1] ~= 'running' then halted = 'halted' end
local suspect = tonumber(state[2] or '0')
local t = call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local breaker = call('HMGET', BREAKER, 'hold', 'until', 'probing', 'probe')
local hold = tonumber(breaker[1] or '0')
local open = tonumber(breaker[2] or '0')
local probing = tonumber(breaker[3] or '0')
local probe = breaker[4]

local out = {}
local function refuse(row, why)
  out[#out + 1] = row
  out[#out + 1] = why
end

-- Why no row may go now; nil: they may. 'probes': the row is the one that probes.
local function wait(probes)
  local ms = 0
  if hold > now then ms = hold - now
  elseif open > now then ms = open - now
  elseif open > 0 and probing > now and not probes then ms = math.min(probing - now, 250) end
  return ms > 0 and (hold > now and 'hold ' or 'wait ') .. ms or nil
end

local function probeWith(mark)
  if open == 0 then return end
  probing = now + probeMs
  probe = mark
  call('HSET', BREAKER, 'probing', probing, 'probe', mark)
end

-- Redis may have lost the ingest's claim: it is claimed again here, unless another row has the key.
local function holder(row, key)
  if not key then return nil end
  local field, text = placeOf(key.digest)
  local held = call('HGET', key.bucket, field)
  if isTaken(held) and isOf(held, text, ARGV[1], row) then return nil end
  local other = otherOf(key.bucket, key.digest)
  if not other then putKey(key.bucket, key.digest, 'c', ARGV[1], row, '') end
  return other
end

local function unknownFields(of)
  if not of then return end
  local stored = call('HGET', of.bucket, of.digest) or ''
  call('HSET', of.bucket, of.digest, (stored == of.before or stored == of.own) and of.own or '~')
end

-- The mark was granted before and nothing was sent under it: the row gets its earlier mark back.
local function takeBack(key, e)
  if e.expected == '' then unmark(key, e.row)
  else call('HSET', key, e.row, e.expected) end
  endProbe(e.mark)
end

-- Why no row of the chunk may go now; nil: they may. 'maySuspect': a lost worker may have sent it;
-- 'isRepeated': the probe's own intent is asked for again.
local function gate(chunk, maySuspect, isRepeated, probes)
  if halted then return halted end
  if call('HEXISTS', BLOCKS, chunk) == 1 then return 'taken' end
  if maySuspect and chunk <= suspect then return 'taken' end
  if not isRepeated then return wait(probes) end
end

-- Why a row by itself may not go; nil: it may.
local function refusal(key, e, current)
  local isGranted = current == e.mark
  -- A probe that was recalled and kept its intent asks anew, over that.
  local probes, maySuspect = e.expected == probe, (current == '' or isGranted) and not e.repeatable
  local why = gate(e.chunk, maySuspect, isGranted and e.mark == probe, probes)
  if not halted and not isGranted and current ~= e.expected then return 'taken' end
  if why and why ~= 'taken' and isGranted then takeBack(key, e) end
  if why or isGranted then return why end
  local other = holder(e.row, e.key)
  if other then return 'held ' .. other end
  call('HSET', key, e.row, e.mark)
  probeWith(e.mark)
  return nil
end

-- Rows that left the order, or that the taker before left in doubt, keep their marks.
local function keepApart(key, apart)
  local rows = {}
  for j, of in ipairs(apart) do rows[j] = tostring(of[1]) end
  if #rows == 0 then return end
  local marks, own = marksOf(key, rows), call('HMGET', key, unpack(rows))
  for j, of in ipairs(apart) do
    local row, mark = rows[j], of[2]
    if not own[j] and (marks[row] or '-') == mark then call('HSET', key, row, mark) end
  end
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

local function grantRange(range)
  local key, rows = CHUNKS .. range.chunk, {}
  for at = 1, #range.rows, 3 do rows[#rows + 1] = tostring(range.rows[at]) end
  range.at = call('HGET', key, 'at') or ''
  local by, last = order(range.at)
  range.mine, range.last = by == range.taker, last
  local prefix = 'i ' .. range.taker .. ' 1.'
  range.probes = range.mine and probe == prefix .. rows[1] and tonumber(rows[1]) <= last
  local why = gate(range.chunk, not range.repeatable, range.probes)
  local own = call('HMGET', key, unpack(rows))
  local upTo, back = 0, {}
  for j, row in ipairs(rows) do
    local number = tonumber(row)
    -- Put back from a journal.
    local isMarked = own[j] == prefix .. row
    -- Granted before, in a reply that was lost: beyond 'from' this take has sent nothing.
    local isOwn = range.mine and number > range.from and number <= last
    local isGranted = isMarked or (isOwn and not own[j])
    local answer = why or false
    if not answer and open > 0 and j > 1 then answer = 'wait 250' end
    if not answer and not isMarked then answer = outOfOrder(range, number, own[j]) end
    -- Takes back a grant that no longer holds. Not where it is 'taken': another take may have the
    -- row on the wire, so its mark stays.
    if answer and isGranted and answer ~= 'taken' then
      unmark(key, row)
      endProbe(prefix .. row)
    end
    if answer then refuse(row, answer)
    elseif not isMarked then
      upTo = math.max(upTo, number)
      if own[j] == '-' then back[#back + 1] = row end
    end
  end
  if upTo == 0 then return end
  keepApart(key, range.apart)
  if #back > 0 then call('HDEL', key, unpack(back)) end
  local reached = string.format('%.0f', math.max(upTo, last))
  call('HSET', key, 'at', range.taker .. ' ' .. reached .. ' ' .. OPENED)
  if not range.probes then probeWith(prefix .. rows[1]) end
end

for _, range in ipairs(next.ranges) do grantRange(range) end
for _, e in ipairs(next.rows) do
  e.row = tostring(e.row)
  local key = CHUNKS .. e.chunk
  local why = refusal(key, e, marksOf(key, {e.row})[e.row] or '')
  if why then refuse(e.row, why) else unknownFields(e.fields) end
end
return out
end
`;
