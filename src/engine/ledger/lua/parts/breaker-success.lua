-- Definite answers came for requests with the marks in `answered` (mark → true), so the breaker
-- closes. Only the probe's answer closes an open breaker: other requests began before, and a
-- service that shuts down still answers those.
local function closeBreaker(breaker, answered)
  local found = call('HMGET', breaker, 'since', 'until', 'probe')
  local since, isOpen, probe = unpack(found)
  if since and (not isOpen or (probe and answered[probe])) then
    call('HDEL', breaker, 'failures', 'failed', 'cause', 'since', 'until', 'trips', 'probe', 'probing')
  end
end
