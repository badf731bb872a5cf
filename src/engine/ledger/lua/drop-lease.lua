-- KEYS: lease. ARGV: holder.

local lease, holder = KEYS[1], ARGV[1]

if call('GET', lease) == holder then return call('DEL', lease) end
return 0
