-- Whose intent a mark is: of one take, whatever the attempt.
local function takerOf(mark)
  return string.match(mark or '', '^' .. protocol.intent .. '(%S+) ')
end

-- Of one process, the first part of its takers' names.
local function processOf(mark)
  return string.match(mark or '', '^' .. protocol.intent .. '([^ .]+)%.') or takerOf(mark)
end
