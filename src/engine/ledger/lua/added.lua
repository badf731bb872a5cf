-- The run's chunks up to this one are about to be queued.
-- KEYS: record. ARGV: highest queued chunk. Answers 1: none is known to be higher.

local record, chunk = KEYS[1], tonumber(ARGV[1])

if call('HEXISTS', record, 'id') == 0 then return 0 end
local known = tonumber(call('HGET', record, 'added') or '0')
if chunk < known then return 0 end
call('HSET', record, 'added', chunk)
call('HDEL', record, 'vouched')
return 1
