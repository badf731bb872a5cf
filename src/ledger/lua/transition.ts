/**
 * Moves a run to another state where the table of transitions allows it.
 * KEYS: record. ARGV: to, reason ('' clears it), now (ISO), then the states it may come from, each alone or with its
 * reason behind a space. A run that was stopped by its canary and is set running again has overruled it.
 * Answers the state it was in, and whether it moved.
 */
export const TRANSITION = `
local was = redis.call('HMGET', KEYS[1], 'state', 'reason')
local state = was[1]
local place = (was[1] or '') .. ' ' .. (was[2] or '')
for i = 4, #ARGV do
  if ARGV[i] == state or ARGV[i] == place then
    redis.call('HSET', KEYS[1], 'state', ARGV[1], 'reason', ARGV[2])
    if ARGV[1] == 'running' then redis.call('HSETNX', KEYS[1], 'startedAt', ARGV[3]) end
    if ARGV[1] == 'running' and place == 'stopped canary' then redis.call('HSET', KEYS[1], 'canary', 'overruled') end
    if ARGV[1] == 'finished' or ARGV[1] == 'cancelled' then redis.call('HSET', KEYS[1], 'finishedAt', ARGV[3]) end
    return {state, 1}
  end
end
return {state or '', 0}
`;
