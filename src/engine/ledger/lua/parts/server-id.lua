-- Another one after every restart and failover.
local function serverId()
  local info = call('INFO', 'server')
  -- A plain-text search: a pattern that is tried at each character doubles the cost of INFO.
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.match(info, '^%x+', at + 1)
end
