import { AUDIT_ENTRY } from './audit.ts';

/**
 * Puts what a purge leaves of a run's blocks in their place, and removes all else that is personal,
 * with the run's data key.
 * KEYS: record, blocks, purged blocks, the audit's chain, then what is removed.
 * ARGV: who and when (JSON), the file's name from now on, the entry's stub and `of`.
 * Answers 1. Done before, it is neither done nor told again.
 */
export const COMPLETE_PURGE = `${AUDIT_ENTRY}
if cjson.decode(call('HGET', KEYS[1], 'purged')).isDone then
  call('UNLINK', KEYS[3])
  return 1
end
if call('HLEN', KEYS[3]) ~= call('HLEN', KEYS[2]) then
  return redis.error_reply('not all rows of a run that is purged have been read: purge it again')
end
-- What a rename replaces is deleted in this script's time; unlinked before, it isn't.
call('UNLINK', KEYS[2], unpack(KEYS, 5))
if call('EXISTS', KEYS[3]) == 1 then call('RENAME', KEYS[3], KEYS[2]) end
call('HDEL', KEYS[1], 'dataKey')
call('HSET', KEYS[1], 'purged', ARGV[1], 'file', ARGV[2])
audit(KEYS[4], ARGV[3], 'purged', ARGV[4], KEYS[1])
return 1
`;
