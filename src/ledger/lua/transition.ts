/**
 * Moves a run to another state where the table of transitions allows it.
 * KEYS: record. ARGV: to, reason ('' clears it), now (ISO), then the states it may come from.
 * Answers the state it was in, and whether it moved.
 */
export const TRANSITION = `
local state = redis.call('HGET', KEYS[1], 'state')
for i = 4, #ARGV do
  if ARGV[i] == state then
    redis.call('HSET', KEYS[1], 'state', ARGV[1], 'reason', ARGV[2])
    if ARGV[1] == 'running' then redis.call('HSETNX', KEYS[1], 'startedAt', ARGV[3]) end
    if ARGV[1] == 'finished' or ARGV[1] == 'cancelled' then redis.call('HSET', KEYS[1], 'finishedAt', ARGV[3]) end
    return {state, 1}
  end
end
return {state or '', 0}
`;
