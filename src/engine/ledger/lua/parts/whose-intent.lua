-- Whose intent a mark is: of one take, by its fencing token, whatever the attempt.
local function tokenOf(mark)
  return string.match(mark or '', '^' .. protocol.intent .. '(%S+) ')
end

-- Of one process, the first part of its fencing tokens.
local function processOf(mark)
  return string.match(mark or '', '^' .. protocol.intent .. '([^ .]+)%.') or tokenOf(mark)
end
