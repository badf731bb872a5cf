-- Redis' own clock decides, not the workers'.

local function nowMicros()
  local time = call('TIME')
  return time[1] * 1000000 + time[2]
end

-- Whole milliseconds.
local function nowMs()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
