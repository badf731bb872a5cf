/**
 * What a worker needs to begin a chunk. KEYS: record, chunk, blocks. ARGV: chunk.
 * Answers {run state, closed (0|1), row, mark, row, mark, …}.
 */
export const TAKE = `
local state = redis.call('HGET', KEYS[1], 'state') or ''
local closed = redis.call('HEXISTS', KEYS[3], ARGV[1])
local out = {state, closed}
if closed == 0 then
  for _, v in ipairs(redis.call('HGETALL', KEYS[2])) do out[#out + 1] = v end
end
return out
`;
