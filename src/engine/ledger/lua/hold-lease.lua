-- Takes or renews a lease. KEYS: lease. ARGV: holder, duration (ms). Answers 1: the holder has it.
-- Another's lease is cut to that duration: expiry goes by Redis' wall clock, and one that was set
-- back would keep a dead holder's lease for all that time.

local lease = KEYS[1]
local holder, ms = ARGV[1], tonumber(ARGV[2])

local held = call('GET', lease)
if held and held ~= holder then
  if call('PTTL', lease) > ms then call('PEXPIRE', lease, ms) end
  return 0
end
call('SET', lease, holder, 'PX', ms)
return 1
