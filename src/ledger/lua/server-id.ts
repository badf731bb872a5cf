/** Lua that declares serverId(): the name of the running server, another one after every restart and failover. */
export const SERVER_ID = `
local function serverId()
  local info = redis.call('INFO', 'server')
  -- Found as plain text: a pattern that is tried at each character costs as much as all the rest of INFO.
  local _, at = string.find(info, 'run_id:', 1, true)
  return string.match(info, '^%x+', at + 1)
end
`;
