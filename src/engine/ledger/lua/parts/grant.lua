-- Grants intents, to rows in their chunk's order or each by itself: a compare-and-set that marks
-- rows as about to be sent, so that two workers never send one (intent.ts has the form). All gates
-- are asked here: the run's state, the service's breaker and hold, and what a lost worker may have
-- sent.
--
-- The service's values of followed fields count as unknown from here until the answer is recorded,
-- whatever happens to worker and run. A second call (after a lost reply or a wait) grants the same
-- mark again, and takes it back where the row may no longer go.

--- @include "parts/clock"
--- @include "parts/key-entries"
--- @include "parts/content"
--- @include "parts/open-chunk"
--- @include "parts/withdraw"

local WAIT_MS = 250

local function openGate(keys, by)
  local run = call('HMGET', keys.record, 'state', protocol.possiblySent, 'pauseFor')
  local state, possiblySent, pauseFor = run[1], tonumber(run[2] or '0'), run[3]
  local halted = pauseFor and 'halted ' .. pauseFor
  if state ~= protocol.running then halted = 'halted' end

  local service = call('HMGET', keys.breaker, 'hold', 'until', 'probing', 'probe')
  return {
    keys = keys,
    run = by.run,
    epochName = by.epochName,
    now = nowMs(),
    halted = halted,
    -- Of chunks up to this one.
    possiblySent = possiblySent,
    -- Times (ms), 0: none; the mark that probes.
    hold = tonumber(service[1] or '0'),
    open = tonumber(service[2] or '0'),
    probing = tonumber(service[3] or '0'),
    probe = service[4],
    probeMs = by.probeMs,
    refused = {},
  }
end

local function refuse(gate, row, why)
  gate.refused[#gate.refused + 1] = row
  gate.refused[#gate.refused + 1] = why
end

-- Why no row may go now; nil: they may. 'probes': the row is the one that probes.
local function waitAt(gate, probes)
  if gate.hold > gate.now then return 'hold ' .. gate.hold - gate.now end
  if gate.open > gate.now then return 'wait ' .. gate.open - gate.now end
  local isTried = gate.open > 0 and gate.probing > gate.now and not probes
  return isTried and 'wait ' .. math.min(gate.probing - gate.now, WAIT_MS) or nil
end

-- Why no row of the chunk may go now; nil: they may. 'onlyUnsent': not where a lost worker may have
-- sent the row; 'isRepeated': the probe's own intent is asked for again.
local function refusalOf(gate, chunk, asked)
  if gate.halted then return gate.halted end
  if call('HEXISTS', gate.keys.blocks, chunk) == 1 then return 'taken' end
  if asked.onlyUnsent and chunk <= gate.possiblySent then return 'taken' end
  if not asked.isRepeated then return waitAt(gate, asked.probes) end
end

local function probeWith(gate, mark)
  if gate.open == 0 then return end
  gate.probing = gate.now + gate.probeMs
  gate.probe = mark
  call('HSET', gate.keys.breaker, 'probing', gate.probing, 'probe', mark)
end

-- Redis may have lost the ingest's claim: it is claimed again here, unless another row has the key.
local function holderOf(gate, row, key)
  if not key then return nil end
  local field, text = placeOf(key.digest)
  local held = call('HGET', key.bucket, field)
  if isTaken(held) and isEntryOf(held, text, gate.run, row) then return nil end
  local other = otherOf(key.bucket, key.digest)
  if not other then putKey(key.bucket, key.digest, protocol.claimed, gate.run, row, '') end
  return other
end

-- The mark was granted before and nothing was sent under it: the row gets its earlier mark back.
local function takeBack(gate, chunkKey, e)
  if e.expected == '' then
    unmark(chunkKey, e.row)
  else
    call('HSET', chunkKey, e.row, e.expected)
  end
  endProbe(gate.keys.breaker, e.mark)
end

-- Why a row by itself may not go; nil: it may, and is marked.
local function grantRow(gate, e)
  local chunkKey = gate.keys.chunks .. e.chunk
  local current = marksOf(chunkKey, {e.row})[e.row] or ''
  local isGranted = current == e.mark
  local why = refusalOf(gate, e.chunk, {
    onlyUnsent = (current == '' or isGranted) and not e.repeatable,
    isRepeated = isGranted and e.mark == gate.probe,
    -- A probe that was recalled and kept its intent asks anew, over that.
    probes = e.expected == gate.probe,
  })

  -- Another's by now, whatever else stands in its way.
  if not gate.halted and not isGranted and current ~= e.expected then return 'taken' end
  -- Asked before, in a reply that was lost: it stands, or is taken back.
  if why and why ~= 'taken' and isGranted then takeBack(gate, chunkKey, e) end
  if why or isGranted then return why end

  local other = holderOf(gate, e.row, e.key)
  if other then
    local _, _, otherRun, otherRow = partsOf(other)
    return 'held ' .. otherRun .. ' ' .. otherRow
  end
  call('HSET', chunkKey, e.row, e.mark)
  probeWith(gate, e.mark)
end

-- The watermark is about to pass rows that left the order, or that the take before left in doubt:
-- each gets the mark that its take read as a field of its own, unless it has changed since.
local function keepMarksOutOfOrder(chunkKey, outOfOrder)
  local rows = {}
  for j, passed in ipairs(outOfOrder) do rows[j] = tostring(passed.row) end
  if #rows == 0 then return end
  local marks, own = marksOf(chunkKey, rows), call('HMGET', chunkKey, unpack(rows))
  for j, passed in ipairs(outOfOrder) do
    local isAsRead = (marks[rows[j]] or protocol.unsent) == passed.mark
    if isAsRead and not own[j] then call('HSET', chunkKey, rows[j], passed.mark) end
  end
end

-- How far the chunk's rows have gone in order: by whom, and whether the range's take saw it so.
local function watermarkOf(range, chunkKey)
  local text = call('HGET', chunkKey, protocol.watermark) or ''
  local token, last = parseWatermark(text)
  return {last = last, isOwn = token == range.fencingToken, isAsSeen = text == range.seen}
end

-- Whether a row may have been sent by another take, or by an earlier grant of this one. A take's
-- watermark never goes back: a row behind it was sent by that take or has left the order.
-- Another's watermark is taken over only as it was read.
local function isPassed(range, watermark, row)
  if row.own and row.own ~= protocol.unsent then return true end
  local leftOrder, isBehind = row.own, row.number <= watermark.last
  if watermark.isOwn then
    return row.number <= range.from or (leftOrder and isBehind)
  end
  return not watermark.isAsSeen or (not leftOrder and isBehind)
end

-- Why the row may not go; nil: it may.
local function refusalInRange(gate, range, watermark, row)
  if watermark.why then return watermark.why end
  if gate.open > 0 and not row.isFirst then return 'wait ' .. WAIT_MS end
  if row.isMarked then return nil end
  if isPassed(range, watermark, row) then return 'taken' end
  if gate.epochName ~= range.claimed then return 'unclaimed' end
end

-- A range's cells: row, bucket, digest and accounts of each.
local function rowsOfRange(range)
  local rows = {}
  for at = 1, #range.rows, 4 do rows[#rows + 1] = tostring(range.rows[at]) end
  return rows
end

local function rowInRange(range, watermark, name, own)
  local number = tonumber(name)
  -- Put back from a journal.
  local isMarked = own == intentOf(range.fencingToken, name)
  -- Granted before, in a reply that was lost: beyond 'from' this take has sent nothing.
  local isOwn = watermark.isOwn and number > range.from and number <= watermark.last
  return {
    name = name,
    number = number,
    own = own,
    isMarked = isMarked,
    isGranted = isMarked or (isOwn and not own),
  }
end

-- Moves the watermark on to the last row that goes.
local function moveWatermark(gate, range, watermark, going)
  local chunkKey = gate.keys.chunks .. range.chunk
  keepMarksOutOfOrder(chunkKey, range.outOfOrder)
  if #going.back > 0 then call('HDEL', chunkKey, unpack(going.back)) end
  local last = string.format('%.0f', math.max(going.upTo, watermark.last))
  call('HSET', chunkKey, protocol.watermark, range.fencingToken .. ' ' .. last .. ' ' .. gate.epochName)
end

local function grantRange(gate, range)
  local chunkKey, names = gate.keys.chunks .. range.chunk, rowsOfRange(range)
  local first = intentOf(range.fencingToken, names[1])
  local watermark = watermarkOf(range, chunkKey)
  local probes = watermark.isOwn and gate.probe == first and tonumber(names[1]) <= watermark.last
  watermark.why = refusalOf(gate, range.chunk, {
    onlyUnsent = not range.repeatable,
    isRepeated = probes,
    probes = probes,
  })

  local marks = call('HMGET', chunkKey, unpack(names))
  local going = {upTo = 0, back = {}}
  for j, name in ipairs(names) do
    local row = rowInRange(range, watermark, name, marks[j])
    row.isFirst = j == 1
    local why = refusalInRange(gate, range, watermark, row)
    -- Takes back a grant that no longer holds. Not where it is 'taken': another take may have the
    -- row on the wire, so its mark stays.
    if why and why ~= 'taken' and row.isGranted then
      unmark(chunkKey, name)
      endProbe(gate.keys.breaker, intentOf(range.fencingToken, name))
    end
    if why then
      refuse(gate, name, why)
    elseif not row.isMarked then
      going.upTo = math.max(going.upTo, row.number)
      if row.own == protocol.unsent then going.back[#going.back + 1] = name end
    end
  end

  if going.upTo == 0 then return end
  moveWatermark(gate, range, watermark, going)
  if not probes then probeWith(gate, first) end
end

-- `asked`: {ranges, rows}. `by`: {run, epochName, probeMs: how long a probe may take}.
-- Answers row, reason, … of rows that are not granted:
-- 'taken': another take has or had it, or may have;
-- 'halted': the run is not running; 'halted <reason>': it is to be paused for that;
-- 'unclaimed': the keys were claimed in another epoch;
-- 'held <run> <row>': Redis forgot the claim, and the key is that row's now;
-- 'hold <ms>': the service asked for a hold; 'wait <ms>': the breaker is open, or a row probes.
local function grant(keys, asked, by)
  local gate = openGate(keys, by)
  for _, range in ipairs(asked.ranges) do grantRange(gate, range) end
  for _, e in ipairs(asked.rows) do
    e.row = tostring(e.row)
    local why = grantRow(gate, e)
    if why then
      refuse(gate, e.row, why)
    else
      if e.fields then forgetFields(e.fields) end
    end
  end
  return gate.refused
end
