-- The registry of workers shares the hash of the epoch (parts/in-epoch).

-- m, b, c: worker → value.
local function registry(epochKey)
  local of = {m = {}, b = {}, c = {}}
  local all = call('HGETALL', epochKey)
  for i = 1, #all, 2 do
    local kind, name = string.match(all[i], '^(%a):(.*)$')
    if kind then of[kind][name] = all[i + 1] end
  end
  return of
end

-- As the answers name a worker.
local function shown(name, beat)
  return name .. ' ' .. (beat or 0)
end

-- It is no worker any more.
local function leave(epochKey, name)
  call('HDEL', epochKey, 'm:' .. name, 'b:' .. name, 'c:' .. name)
end
