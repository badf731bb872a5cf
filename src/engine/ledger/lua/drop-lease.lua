-- KEYS: lease, record. ARGV: holder.

local lease, record = unpack(KEYS)
local holder = ARGV[1]

if call('GET', lease) ~= holder then return 0 end
call('HDEL', record, 'reader')
return call('DEL', lease)
