-- The identity ledgers: keys are claimed by rows, and looked up. A bucket has for a key:
-- `<form>`: the entry of the row that has the normal form, whatever its text;
-- `<form>=<text>`: of the row of a job with `keyForm: exact` that has this very text;
-- `<form>e`: there is such a row of the form, so that others look for it;
-- `<form>s`, `<form>=<text>s`: which row of which run met the key of another run first.
-- An entry is '<kind><text> <run> <row> <id>', kind c: claimed, k: known (created), d: in doubt,
-- x: given back by a row that was not created; the text's digest is empty where it is its form.
-- Of a known key, '<kind><text>;<content> …' has digests of what the service has (content.ts).
-- A run's id stands there in short: with the id of the record, it is most of what an entry takes.

local SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
local RUN = '^20(%d%d)(%d%d)(%d%d)%-(%d%d)(%d%d)(%d%d)%-(%w+)$'
local shortOf, longOf = {}, {}

-- '20261130-091500-x7k2' as '.', a sign for each of the six numbers, and the rest; any other id as
-- it is.
local function shortRun(run)
  if shortOf[run] then return shortOf[run] end
  local parts = {string.match(run, RUN)}
  local rest = table.remove(parts)
  local short = '.'
  for _, number in ipairs(parts) do short = short .. string.sub(SIGNS, number + 1, number + 1) end
  -- A number beyond the signs has none.
  local isShort = #short == 7
  shortOf[run] = isShort and short .. rest or run
  return shortOf[run]
end

local function longRun(short)
  if longOf[short] or string.sub(short, 1, 1) ~= '.' then return longOf[short] or short end
  local numbers = {}
  for at = 2, 7 do
    local sign = string.sub(short, at, at)
    numbers[#numbers + 1] = string.find(SIGNS, sign, 1, true) - 1
  end
  longOf[short] = string.format('20%02d%02d%02d-%02d%02d%02d-', unpack(numbers)) .. string.sub(short, 8)
  return longOf[short]
end

-- The field of the key's own entry, its text, its form, is it of an exact job.
local function placeOf(digest)
  local form = string.sub(digest, 1, protocol.formLength)
  local text = string.sub(digest, protocol.formLength + 1)
  if string.sub(text, 1, 1) ~= protocol.exact then return form, text, form, false end
  return digest, string.sub(text, 2), form, true
end

-- Kind, text, run, row, content.
local function partsOf(entry)
  local kind, text, content, run, row = string.match(entry or '', '^(%a)([^ ;]*);?(%S*) (%S+) (%d+)')
  return kind, text, run and longRun(run), row, content
end

local function textIn(entry)
  return entry and string.match(entry, '^%a([^ ;]*)')
end

local function entryOf(kind, text, run, row, id, content)
  local known = content and content ~= '' and ';' .. content or ''
  return kind .. text .. known .. ' ' .. shortRun(run) .. ' ' .. row .. ' ' .. id
end

local function idOf(entry)
  return string.match(entry, '^%S+ %S+ %d+ (.*)$')
end

-- An entry as scripts answer it, in one text: kind, '1' where it has another text than asked for,
-- then content, run, row and id, with spaces between. '': it is none.
local function answerOf(entry, text)
  local kind, own, content, run, rest = string.match(entry, '^(%a)([^ ;]*);?(%S*) (%S+) (.*)$')
  if not kind then return '' end
  local another = own == text and '0' or '1'
  return kind .. another .. content .. ' ' .. longRun(run) .. ' ' .. rest
end

local function isTaken(entry)
  return entry and string.sub(entry, 1, 1) ~= protocol.givenBack
end

local function isEntryOf(entry, text, run, row)
  local _, ownText, ownRun, ownRow = partsOf(entry)
  return ownText == text and ownRun == run and ownRow == row
end

-- A key of an exact job leaves word at the place of its form, given back by nobody, so that the
-- others need not look for it where that place was free.
local function putKey(bucket, digest, kind, run, row, id, content)
  local field, text, form, isExact = placeOf(digest)
  call('HSET', bucket, field, entryOf(kind, text, run, row, id, content))
  if isExact then
    call('HSETNX', bucket, form, protocol.nobodys)
    call('HSET', bucket, form .. protocol.exactSuffix, '')
  end
end

-- Does the row have the entry, or nobody.
local function hasKey(bucket, digest, run, row)
  local field, text = placeOf(digest)
  local held = call('HGET', bucket, field)
  return not held or held == protocol.nobodys or isEntryOf(held, text, run, row)
end

local function anyExact(bucket, form)
  local all, prefix = call('HGETALL', bucket), form .. protocol.exact
  for i = 1, #all, 2 do
    local entry = string.sub(all[i], 1, #prefix) == prefix and all[i + 1]
    -- Not the mark of who met the key.
    if entry and partsOf(entry) and isTaken(entry) then return entry end
  end
end

-- The entry of another row that keeps a row without an entry of its own from the key, the very text
-- before another of its form. nil: none. Only two rows of exact jobs go by their texts alone: one
-- record is written otherwise where a loose job has it, too.
local function otherOf(bucket, digest)
  local _, text, form, isExact = placeOf(digest)
  local ofForm = call('HGET', bucket, form)
  if isTaken(ofForm) and textIn(ofForm) == text then return ofForm end

  local areExact = isExact or call('HEXISTS', bucket, form .. protocol.exactSuffix) == 1
  local same = areExact and call('HGET', bucket, form .. protocol.exact .. text)
  if isTaken(same) then return same end

  if isTaken(ofForm) then return ofForm end
  if isExact or not areExact then return nil end
  return anyExact(bucket, form)
end
