/**
 * Takes intents back where it is proven that nothing was received: the row is unsent again.
 * KEYS: prefix of chunks, weather. ARGV: chunk, row, mark, … Only the very mark is removed. One that was to probe whether the service is
 * back leaves that to the next.
 */
export const WITHDRAW = `
local out = {}
local probe = redis.call('HGET', KEYS[2], 'probe')
for i = 1, #ARGV, 3 do
  local key = KEYS[1] .. ARGV[i]
  local mine = redis.call('HGET', key, ARGV[i + 1]) == ARGV[i + 2]
  if mine then redis.call('HDEL', key, ARGV[i + 1]) end
  if mine and ARGV[i + 2] == probe then redis.call('HDEL', KEYS[2], 'probing', 'probe') end
  out[#out + 1] = mine and 1 or 0
end
return out
`;
