-- Registers a run, or names the one that stands in its way. Sent again after a lost reply, it
-- changes nothing.
-- - A run of a file: the one that already took this file through this job. An unfinished run always
--   goes on, whatever `again` says.
-- - A rerun (its rows are in the ledger already), or a file with rows of earlier runs: another that
--   was registered since its rows were chosen.
-- KEYS: files, runs, the new run's record, its input, the audit's chain.
-- ARGV: link, JSON of {entry: its place in files, id, createdAt (ms), prefix: of run records, again
-- or rerun: {chunks, ttl: seconds}; taken: the run that took rows of others last when the rows were
-- chosen, from: the runs that they are of; stub, of: of the entry}, then field, value, …
-- Answers {'new', id}, {'known', id} or {'overtaken', ''}. Error: the input is not whole, or
-- another run has that very id.

--- @include "parts/audit"

local files, runs, record, input, chain = unpack(KEYS)
local link, asked = ARGV[1], cjson.decode(ARGV[2])
local fields = {unpack(ARGV, 3)}
local id, rerun = asked.id, asked.rerun

-- A run of that file that goes on, or that nobody wants again.
local function standsInTheWay(known)
  if rerun or not known then return false end
  local state = call('HGET', asked.prefix .. known, 'state')
  return state and not (protocol.over[state] and asked.again)
end

-- The runs whose rows it takes tell of it, too.
local function takeRows()
  local told = {record}
  if not asked.taken then return told end
  call('HSET', files, 'taken', id)
  for _, from in ipairs(asked.from) do
    call('SADD', asked.prefix .. from .. protocol.takersSuffix, id)
    told[#told + 1] = asked.prefix .. from
  end
  return told
end

local known = call('HGET', files, asked.entry)
if known == id then return {'new', id} end
if rerun and call('HLEN', input) ~= rerun.chunks then
  return redis.error_reply('the rows of rerun ' .. id .. ' are not all in the ledger')
end
if standsInTheWay(known) then return {'known', known} end
local latest = call('HGET', files, 'taken') or ''
if asked.taken and latest ~= asked.taken then return {'overtaken', ''} end
if call('EXISTS', record) == 1 then
  return redis.error_reply('another run has the id ' .. id .. ': try again')
end
if isLinkStale(chain, link) then return staleLink() end

if rerun then call('EXPIRE', input, rerun.ttl) end
call('HSET', files, asked.entry, id)
local told = takeRows()
call('ZADD', runs, asked.createdAt, id)
call('HSET', record, unpack(fields))
local what = rerun and 'rerun' or 'registered'
audit(chain, {link = link, stub = asked.stub, what = what, of = asked.of}, told)
return {'new', id}
