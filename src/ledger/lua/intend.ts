/**
 * Compare-and-set: marks rows as about to be sent. Nothing is sent without its row being granted.
 * KEYS: record, prefix of chunks, blocks, weather. ARGV: run, milliseconds a probe may take, are fields followed (0|1), then groups of rows:
 * chunk, mark, does the row's number belong to it (0|1), expected mark ('': none), may the rows be sent though a lost worker may have sent them (0|1), how many rows, and of each
 * row, bucket key of its key's identity ('' none), digest, [bucket key of its record's field digests ('' none), digest, what they were when the
 * request was made, what stands for them while it is under way,] …
 * Answers place (1: the first row), reason, … of the rows that are not granted: 'taken': another worker has or had it; 'halted': the run is
 * not running; 'held <entry>': since the key was claimed Redis has forgotten it, and it is another row's now; 'wait <ms>': the service
 * has asked to be left alone, or is away and another row probes. What the service has of a record's fields is not known from here on
 * until its answer is recorded, whatever happens to worker and run. Running it again (a lost reply, or a row that has waited for its
 * turn since) grants the same mark again, and takes it back where nobody may go any more.
 * Marks are read and written group by group: a command for each row would cost Redis several times as much.
 */
export const INTEND = `
local state = redis.call('HMGET', KEYS[1], 'state', 'suspect')
local running = state[1] == 'running'
local suspect = tonumber(state[2] or '0')
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local weather = redis.call('HMGET', KEYS[4], 'hold', 'until', 'probing', 'probe')
local hold = tonumber(weather[1] or '0')
local open = tonumber(weather[2] or '0')
local probing = tonumber(weather[3] or '0')
local probe = weather[4]

local function wait()
  if hold > now then return hold - now end
  if open == 0 then return 0 end
  if open > now then return open - now end
  if probing > now then return math.min(probing - now, 250) end
  return 0
end

-- The claim of the ingest may be gone with what a Redis has lost: taken again here, or another's by now.
local function holder(row, bucket, digest)
  if bucket == '' then return nil end
  local held = redis.call('HGET', bucket, digest)
  local claimed = 'c ' .. ARGV[1] .. ' ' .. row .. ' '
  if held == claimed then return nil end
  if held and string.sub(held, 1, 1) ~= 'x' then
    local run, of = string.match(held, '^%a (%S+) (%d+)')
    if run == ARGV[1] and of == row then return nil end
    return held
  end
  redis.call('HSET', bucket, digest, claimed)
  return nil
end

local function unknownFields(key, digest, before, own)
  if key == '' then return end
  local stored = redis.call('HGET', key, digest) or ''
  if stored == before or stored == own then redis.call('HSET', key, digest, own)
  else redis.call('HSET', key, digest, '~') end
end

-- Granted before: nothing was sent, so nothing may look as if; it is as it was.
local function takeBack(group, row, mark)
  if group.expected == '' then redis.call('HDEL', group.key, row)
  else redis.call('HSET', group.key, row, group.expected) end
  if mark == probe then redis.call('HDEL', KEYS[4], 'probing', 'probe') end
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
    return 'wait ' .. ms
  end
  if current == mark then return nil end
  local other = holder(row, bucket, digest)
  if other then return 'held ' .. other end
  group.new[#group.new + 1] = row
  group.new[#group.new + 1] = mark
  if open > 0 then
    probing = now + tonumber(ARGV[2])
    probe = mark
    redis.call('HSET', KEYS[4], 'probing', probing, 'probe', mark)
  end
  return nil
end

-- In Redis' compact encoding each mark is found by going through all: a long value makes a table of a chunk's hash, which lives shortly.
local function put(key, new)
  if redis.call('EXISTS', key) == 1 then
    redis.call('HSET', key, unpack(new))
  else
    redis.call('HSET', key, 'table', string.rep(' ', 129), unpack(new))
    redis.call('HDEL', key, 'table')
  end
end

local WIDTH = ARGV[3] == '1' and 7 or 3
local out = {}
local place = 0
local i = 4
while i <= #ARGV do
  local chunk = ARGV[i]
  local group = {key = KEYS[2] .. chunk, mark = ARGV[i + 1], isNumbered = ARGV[i + 2] == '1', expected = ARGV[i + 3], new = {}}
  group.isSuspect = ARGV[i + 4] == '0' and tonumber(chunk) <= suspect
  group.open = redis.call('HEXISTS', KEYS[3], chunk) == 0
  local first = i + 6
  i = first + ARGV[i + 5] * WIDTH
  local rows = {}
  for at = first, i - 1, WIDTH do rows[#rows + 1] = ARGV[at] end
  local marks = redis.call('HMGET', group.key, unpack(rows))
  for j, row in ipairs(rows) do
    local at = first + (j - 1) * WIDTH
    local answer = refusal(group, marks[j] or '', row, ARGV[at + 1], ARGV[at + 2])
    place = place + 1
    if answer then
      out[#out + 1] = tostring(place)
      out[#out + 1] = answer
    elseif WIDTH > 3 then unknownFields(ARGV[at + 3], ARGV[at + 4], ARGV[at + 5], ARGV[at + 6]) end
  end
  if #group.new > 0 then put(group.key, group.new) end
end
return out
`;
