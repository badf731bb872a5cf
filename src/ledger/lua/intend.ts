/**
 * Compare-and-set: marks rows as about to be sent. Nothing is sent without a 'granted'.
 * KEYS: record, prefix of chunks, blocks, weather. ARGV: run, milliseconds a probe may take, how many arguments a row has (7, or 11
 * where fields are followed), then chunk, row, mark, expected mark ('': none), may the row be sent though a lost worker may have sent it (0|1),
 * bucket key of its key's identity ('' none), digest, [bucket key of its record's field digests ('' none), digest, what they were when the
 * request was made, what stands for them while it is under way,] …
 * Answers per row: 'granted'; 'taken': another worker has or had it; 'halted': the run is not running;
 * 'held <entry>': since the key was claimed Redis has forgotten it, and it is another row's now; 'wait <ms>': the service
 * has asked to be left alone, or is away and another row probes. What the service has of a record's fields is not known from here on
 * until its answer is recorded, whatever happens to worker and run. Running it again (a lost reply, or a row that has waited for its
 * turn since) grants the same mark again, and takes it back where nobody may go any more.
 * Marks are read and written chunk by chunk: a command for each row would cost Redis several times as much.
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
local function holder(bucket, digest, row)
  if bucket == '' then return nil end
  local held = redis.call('HGET', bucket, digest)
  if held and string.sub(held, 1, 1) ~= 'x' then
    local run, of = string.match(held, '^%a (%S+) (%d+)')
    if run == ARGV[1] and of == row then return nil end
    return held
  end
  redis.call('HSET', bucket, digest, 'c ' .. ARGV[1] .. ' ' .. row .. ' ')
  return nil
end

-- Granted before: nothing was sent, so nothing may look as if; it is as it was.
local function takeBack(chunk, row, mark, expected)
  if expected == '' then redis.call('HDEL', KEYS[2] .. chunk, row)
  else redis.call('HSET', KEYS[2] .. chunk, row, expected) end
  if mark == probe then redis.call('HDEL', KEYS[4], 'probing', 'probe') end
end

local function unknownFields(i)
  local key, digest, before, own = ARGV[i + 7], ARGV[i + 8], ARGV[i + 9], ARGV[i + 10]
  if key == '' then return end
  local stored = redis.call('HGET', key, digest) or ''
  if stored == before or stored == own then redis.call('HSET', key, digest, own)
  else redis.call('HSET', key, digest, '~') end
end

local WIDTH = tonumber(ARGV[3])
local chunks = {}
for i = 4, #ARGV, WIDTH do
  local of = chunks[ARGV[i]]
  if not of then
    of = {rows = {}, marks = {}, new = {}}
    chunks[ARGV[i]] = of
  end
  of.rows[#of.rows + 1] = ARGV[i + 1]
end
for chunk, of in pairs(chunks) do
  of.open = redis.call('HEXISTS', KEYS[3], chunk) == 0
  for j, mark in ipairs(redis.call('HMGET', KEYS[2] .. chunk, unpack(of.rows))) do of.marks[of.rows[j]] = mark or '' end
end

local out = {}
for i = 4, #ARGV, WIDTH do
  local chunk, row, mark, expected, bold = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  local of = chunks[chunk]
  local current = of.marks[row]
  local answer = 'taken'
  if not running then
    answer = 'halted'
    if current == mark then takeBack(chunk, row, mark, expected) end
  elseif of.open then
    local ms = wait()
    local fresh = current == '' or current == mark
    if fresh and bold == '0' and tonumber(chunk) <= suspect then answer = 'taken'
    elseif current == mark and (ms == 0 or mark == probe) then answer = 'granted'
    elseif current == mark then
      answer = 'wait ' .. ms
      takeBack(chunk, row, mark, expected)
    elseif current == expected and ms > 0 then answer = 'wait ' .. ms
    elseif current == expected then
      local other = holder(ARGV[i + 5], ARGV[i + 6], row)
      answer = other and 'held ' .. other or 'granted'
      if not other then
        of.marks[row] = mark
        of.new[#of.new + 1] = row
        of.new[#of.new + 1] = mark
      end
      if not other and open > 0 then
        probing = now + tonumber(ARGV[2])
        probe = mark
        redis.call('HSET', KEYS[4], 'probing', probing, 'probe', probe)
      end
    end
  end
  if answer == 'granted' and WIDTH > 7 then unknownFields(i) end
  out[#out + 1] = answer
end
for chunk, of in pairs(chunks) do
  if #of.new > 0 then redis.call('HSET', KEYS[2] .. chunk, unpack(of.new)) end
end
return out
`;
