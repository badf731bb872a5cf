-- Whether a row may update a record whose content nobody knows: where its key was adopted, the
-- first few of the adoption go before a person has seen what came of them.
-- KEYS: record of the run that made the key known, record of the run that updates.
-- ARGV: the one run, the other, the row, the record's id.
-- Answers '': it may; else the rows that went, as JSON: [{run, row, id}, …]. Sent again, it
-- answers the same.

local adoption, record = KEYS[1], KEYS[2]
local maker, run, row, id = unpack(ARGV)
local found = call('HMGET', adoption, 'operation', protocol.trusted, protocol.tried)
local operation, isTrusted, text = found[1] or '', found[2], found[3]
if isTrusted or not string.find(operation, protocol.adoption, 1, true) then return '' end

local tried = text and cjson.decode(text) or {}
for _, before in ipairs(tried) do
  if before.id == id then return '' end
end
if #tried < protocol.mostTried then
  tried[#tried + 1] = {run = run, row = row, id = id}
  call('HSET', adoption, protocol.tried, cjson.encode(tried))
  return ''
end
call('HSET', record, protocol.untrusted, maker)
return text
