/**
 * Takes refusals back that turned out not to be the rows' fault: the rows are unsent again, their keys claimed again.
 * KEYS: record, prefix of chunks, sources, bodies. ARGV: run, reason, chunk, row, settlement, outcome, bucket key ('' none), digest, …
 * A running run is paused for that reason in the same step, so that no worker takes these rows again before somebody has looked.
 * Only the very settlement is removed, only while the chunk is open, and only where no other run has claimed the key since.
 * Answers per row: 1 taken back, 0 left.
 */
export const UNSETTLE = `
local run = ARGV[1]
local out = {}
if redis.call('HGET', KEYS[1], 'state') == 'running' then redis.call('HSET', KEYS[1], 'state', 'paused', 'reason', ARGV[2]) end
for i = 3, #ARGV, 6 do
  local key, row, outcome, bucket, digest = KEYS[2] .. ARGV[i], ARGV[i + 1], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local free = bucket == '' or redis.call('HGET', bucket, digest) == 'x ' .. run .. ' ' .. row .. ' '
  local mine = free and redis.call('HGET', key, row) == ARGV[i + 2]
  if mine then
    redis.call('HDEL', key, row)
    redis.call('HINCRBY', key, 'v', 1)
    redis.call('HINCRBY', KEYS[1], 'o:' .. outcome, -1)
    redis.call('HDEL', KEYS[3], row)
    redis.call('HDEL', KEYS[4], row)
    if bucket ~= '' then redis.call('HSET', bucket, digest, 'c ' .. run .. ' ' .. row .. ' ') end
  end
  out[#out + 1] = mine and 1 or 0
end
return out
`;
