-- Whether a row may update a record whose content nobody knows: where its key was adopted, the
-- first few of the adoption go before a person has seen what came of them.
-- KEYS: record of the run that made the key known.
-- ARGV: the run that updates, the row, the record's id, then ids of those that went in vain: they
-- count no more.
-- Answers '': it may; else the rows that went, as JSON: [{run, row, id}, …]. Sent again, it
-- answers the same.

local adoption = KEYS[1]
local run, row, id = unpack(ARGV)
local inVain = {unpack(ARGV, 4)}

local found = call('HMGET', adoption, 'operation', protocol.trusted, protocol.tried)
local operation, isTrusted, text = found[1] or '', found[2], found[3]
local isAdoption = string.sub(operation, -#protocol.adoption) == protocol.adoption
if isTrusted or not isAdoption then return '' end

local function isInVain(one)
  for _, other in ipairs(inVain) do
    if other == one.id then return true end
  end
  return false
end

local tried = {}
for _, before in ipairs(text and cjson.decode(text) or {}) do
  if before.id == id then return '' end
  if not isInVain(before) then tried[#tried + 1] = before end
end
if #tried >= protocol.mostTried then return cjson.encode(tried) end

tried[#tried + 1] = {run = run, row = row, id = id}
call('HSET', adoption, protocol.tried, cjson.encode(tried))
return ''
