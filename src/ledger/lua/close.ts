/**
 * Closes a chunk whose rows are all settled: its marks become one block. The last one finishes the run.
 * KEYS: record, chunk, blocks. ARGV: chunk, rows in it, its version as it was when their outcomes were read or recorded, block, chunks of the
 * run, now (ISO). Whatever changes an outcome that was recorded changes the version.
 * Answers 1: closed (now or before); 0: something changed since: read again.
 */
export const CLOSE = `
if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then return 1 end
local version = redis.call('HGET', KEYS[2], 'v')
local marks = redis.call('HLEN', KEYS[2]) - (version and 1 or 0)
if (version or '0') ~= ARGV[3] or marks ~= tonumber(ARGV[2]) then return 0 end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[4])
redis.call('DEL', KEYS[2])
local closed = redis.call('HINCRBY', KEYS[1], 'closedChunks', 1)
if closed == tonumber(ARGV[5]) and redis.call('HGET', KEYS[1], 'state') ~= 'cancelled' then
  redis.call('HSET', KEYS[1], 'state', 'finished', 'reason', '', 'finishedAt', ARGV[6])
end
return 1
`;
