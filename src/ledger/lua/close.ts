/**
 * Closes a chunk whose rows are all settled: its marks become one block. The last one finishes the run.
 * KEYS: record, chunk, blocks. ARGV: chunk, rows in it, its version as read, block, chunks of the run, now (ISO), and where the block was
 * made without reading the marks: the SHA-1 (hex) of what they have to be, joined by line feeds, then the rows in that order.
 * Answers 1: closed (now or before); 0: something changed since it was read, or is other than thought: read again.
 */
export const CLOSE = `
if redis.call('HEXISTS', KEYS[3], ARGV[1]) == 1 then return 1 end
local version = redis.call('HGET', KEYS[2], 'v')
local marks = redis.call('HLEN', KEYS[2]) - (version and 1 or 0)
if (version or '0') ~= ARGV[3] or marks ~= tonumber(ARGV[2]) then return 0 end
if ARGV[7] then
  local found = redis.call('HMGET', KEYS[2], unpack(ARGV, 8))
  for _, mark in ipairs(found) do if not mark then return 0 end end
  if redis.sha1hex(table.concat(found, '\\n')) ~= ARGV[7] then return 0 end
end
redis.call('HSET', KEYS[3], ARGV[1], ARGV[4])
redis.call('DEL', KEYS[2])
local closed = redis.call('HINCRBY', KEYS[1], 'closedChunks', 1)
if closed == tonumber(ARGV[5]) and redis.call('HGET', KEYS[1], 'state') ~= 'cancelled' then
  redis.call('HSET', KEYS[1], 'state', 'finished', 'reason', '', 'finishedAt', ARGV[6])
end
return 1
`;
