/**
 * Takes intents back where it is proven that nothing was received: the row is unsent again.
 * KEYS: prefix of chunks. ARGV: chunk, row, mark, … Only the very mark is removed.
 */
export const WITHDRAW = `
local out = {}
for i = 1, #ARGV, 3 do
  local key = KEYS[1] .. ARGV[i]
  local mine = redis.call('HGET', key, ARGV[i + 1]) == ARGV[i + 2]
  if mine then redis.call('HDEL', key, ARGV[i + 1]) end
  out[#out + 1] = mine and 1 or 0
end
return out
`;
