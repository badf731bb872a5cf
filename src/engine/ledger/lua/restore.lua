-- Puts a run's record back where Redis lost it. May run twice, and on a ledger that lost nothing.
-- KEYS: record, runs, files.
-- ARGV: run, created at (ms), file's entry, state, prefix of run records, created at (ISO), then
-- field, value, …
-- Answers 1: the record was gone.
--
-- The file's entry names its youngest run, whatever Redis went back to: an older one must not let a
-- third run in. A cancellation that any journal or Redis knows stands.

local record, runs, files = KEYS[1], KEYS[2], KEYS[3]
local run, createdMs, entry, state, prefix, createdAt = unpack(ARGV, 1, 6)
local fields = {unpack(ARGV, 7)}

local function keepCancelled()
  local now = call('HGET', record, 'state')
  if state == protocol.cancelled and not protocol.over[now] then
    call('HSET', record, 'state', protocol.cancelled, 'reason', '', 'request', '')
  end
end

if call('HEXISTS', record, 'id') == 1 then
  keepCancelled()
  return 0
end

call('HSET', record, unpack(fields))
call('ZADD', runs, createdMs, run)
local held = call('HGET', files, entry)
local since = held and call('HGET', prefix .. held, 'createdAt')
if not since or since < createdAt then call('HSET', files, entry, run) end
return 1
