-- Takes or renews a lease. KEYS: lease, record. ARGV: holder, duration (ms). Answers {does the
-- holder have it (0|1), who had it before and did not give it back}.
-- Another's lease is cut to that duration: expiry goes by Redis' wall clock, and one that was set
-- back would keep a dead holder's lease for all that time.

local lease, record = unpack(KEYS)
local holder, ms = ARGV[1], tonumber(ARGV[2])

local held = call('GET', lease)
if held and held ~= holder then
  if call('PTTL', lease) > ms then call('PEXPIRE', lease, ms) end
  return {0, ''}
end
call('SET', lease, holder, 'PX', ms)
if held then return {1, ''} end
local before = call('HGET', record, 'reader') or ''
call('HSET', record, 'reader', holder)
return {1, before ~= holder and before or ''}
