/**
 * Settles rows in doubt by somebody's decision, and remembers who took it; or only says more of a row that stays in doubt.
 * KEYS: record, prefix of chunks, blocks, late, doubts, sources, resolutions. ARGV: run, JSON of [[row, outcome
 * ('in-doubt': it stays so), settlement ('' where the row was not in doubt when it was read), bucket key ('' none), digest,
 * identity ('k'|'x'|''), id, resolution (JSON, '' for a row that stays), drop its source (0|1)], …].
 * Answers per row: 'resolved'; 'noted'; 'unchanged': decided so before; 'otherwise <resolution>': decided otherwise before;
 * 'settled': not in doubt. Sent twice, after a lost reply, it answers the same.
 */
export const RESOLVE = `
local run = ARGV[1]
local out = {}
local function identity(e)
  if e[4] == '' then return end
  local held = redis.call('HGET', e[4], e[5])
  local owner = ' ' .. run .. ' ' .. e[1] .. ' '
  if held and string.sub(held, 2, #owner + 1) ~= owner then return end
  redis.call('HSET', e[4], e[5], e[6] .. owner .. e[7])
end
local function replace(chunk, row, settlement)
  if redis.call('HEXISTS', KEYS[3], chunk) == 1 then
    redis.call('HSET', KEYS[4], row, settlement)
  else
    redis.call('HSET', KEYS[2] .. chunk, row, settlement)
    redis.call('HINCRBY', KEYS[2] .. chunk, 'v', 1)
  end
end
local function decidedBefore(row, resolution)
  local earlier = redis.call('HGET', KEYS[7], row)
  if not earlier or resolution == '' then return 'settled' end
  if earlier == resolution then return 'resolved' end
  local before, now = cjson.decode(earlier), cjson.decode(resolution)
  if before.decision == now.decision and before.id == now.id then return 'unchanged' end
  return 'otherwise ' .. earlier
end
for i, e in ipairs(cjson.decode(ARGV[2])) do
  local row, outcome, settlement, resolution = e[1], e[2], e[3], e[8]
  local chunk = redis.call('HGET', KEYS[5], row)
  local answer
  if not chunk or settlement == '' then
    answer = decidedBefore(row, resolution)
  elseif outcome == 'in-doubt' then
    replace(chunk, row, settlement)
    answer = 'noted'
  else
    replace(chunk, row, settlement)
    redis.call('HINCRBY', KEYS[1], 'o:in-doubt', -1)
    redis.call('HINCRBY', KEYS[1], 'o:' .. outcome, 1)
    redis.call('HDEL', KEYS[5], row)
    if e[9] == 1 then redis.call('HDEL', KEYS[6], row) end
    redis.call('HSET', KEYS[7], row, resolution)
    identity(e)
    answer = 'resolved'
  end
  out[i] = answer
end
return out
`;
