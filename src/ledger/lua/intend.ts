/**
 * Compare-and-set: marks rows as about to be sent. Nothing is sent without a 'granted'.
 * KEYS: record, prefix of chunks, blocks. ARGV: chunk, row, mark, expected mark ('': none), …
 * Answers per row: 'granted'; 'taken': another worker has or had it; 'halted': the run is not running.
 * Running it again (a lost reply) grants the same mark again.
 */
export const INTEND = `
local running = redis.call('HGET', KEYS[1], 'state') == 'running'
local out = {}
for i = 1, #ARGV, 4 do
  local chunk, row, mark, expected = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3]
  local key = KEYS[2] .. chunk
  local answer = 'taken'
  if not running then
    answer = 'halted'
    -- Granted before a lost reply: nothing was sent, so nothing may look as if.
    if redis.call('HGET', key, row) == mark then redis.call('HDEL', key, row) end
  elseif redis.call('HEXISTS', KEYS[3], chunk) == 0 then
    local current = redis.call('HGET', key, row) or ''
    if current == mark then answer = 'granted'
    elseif current == expected then
      redis.call('HSET', key, row, mark)
      answer = 'granted'
    end
  end
  out[#out + 1] = answer
end
return out
`;
