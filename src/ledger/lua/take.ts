/**
 * What a worker needs to begin a chunk. KEYS: record, chunk, blocks. ARGV: chunk.
 * Answers {run state, closed (0|1), may a lost worker have sent its unmarked rows (0|1), row, mark, row, mark, …}.
 */
export const TAKE = `
local run = redis.call('HMGET', KEYS[1], 'state', 'suspect')
local closed = redis.call('HEXISTS', KEYS[3], ARGV[1])
local out = {run[1] or '', closed, tonumber(ARGV[1]) <= tonumber(run[2] or '0') and 1 or 0}
if closed == 0 then
  for _, v in ipairs(redis.call('HGETALL', KEYS[2])) do out[#out + 1] = v end
end
return out
`;
