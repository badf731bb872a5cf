/**
 * Registers a rerun whose rows are in the ledger already. KEYS: files, runs, the new run's record, its input.
 * ARGV: the parent's entry in files, run id, created at (ms), the entry as it was when the rows were chosen ('': none), chunks,
 * seconds that the input is kept, then field, value, …
 * Answers 1: registered; 0: another rerun was registered meanwhile; -1: the input is not whole. Sent twice it changes nothing.
 * Error: another run has that very id already.
 */
export const REGISTER_RERUN = `
local latest = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if latest == ARGV[2] then return 1 end
if latest ~= ARGV[4] then return 0 end
if redis.call('HLEN', KEYS[4]) ~= tonumber(ARGV[5]) then return -1 end
if redis.call('EXISTS', KEYS[3]) == 1 then return redis.error_reply('another run has the id ' .. ARGV[2] .. ': try again') end
redis.call('EXPIRE', KEYS[4], ARGV[6])
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[2])
redis.call('HSET', KEYS[3], unpack(ARGV, 7))
return 1
`;
