/**
 * Registers a run, or names the one that already took this file through this job.
 * KEYS: files, runs, the new run's record. ARGV: `<sha256>:<job>`, run id, created at (ms), again (0|1), prefix of run records, then field, value, …
 * Sent twice, after a lost reply, it changes nothing. Answers {'new', id} or {'known', id}. An unfinished run is always gone on with, whatever `again` says.
 * Error: another run has that very id already.
 */
export const REGISTER = `
local known = redis.call('HGET', KEYS[1], ARGV[1])
if known == ARGV[2] then return {'new', known} end
if known then
  local state = redis.call('HGET', ARGV[5] .. known, 'state')
  local ended = state == 'finished' or state == 'cancelled'
  if state and not (ended and ARGV[4] == '1') then return {'known', known} end
end
if redis.call('EXISTS', KEYS[3]) == 1 then return redis.error_reply('another run has the id ' .. ARGV[2] .. ': try again') end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('HSET', KEYS[3], unpack(ARGV, 6))
return {'new', ARGV[2]}
`;
