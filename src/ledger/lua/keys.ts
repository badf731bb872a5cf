/**
 * The scripts of the identity ledgers: keys are claimed by rows, and looked up. A bucket has for a
 * key:
 * `<form>`: the entry of the row that has the normal form, whatever its text;
 * `<form>=<text>`: of the row of a job with `keyForm: exact` that has this very text;
 * `<form>e`: there is such a row of the form, so that others look for it;
 * `<form>s`, `<form>=<text>s`: which row of which run met the key of another run first.
 * An entry is '<kind><text> <run> <row> <id>', kind c: claimed, k: known (created), d: in doubt,
 * x: given back by a row that was not created; the text's digest is empty where it is its form.
 */

/**
 * Lua that all scripts share which touch entries. placeOf(digest): the field of the key's own
 * entry, its text, its form, is it of an exact job. partsOf(entry): kind, text, run, row.
 * hasKey(bucket, digest, run, row): does the row have the entry, or nobody.
 * putKey(bucket, digest, kind, run, row, id): writes the entry. A key of an exact job leaves word
 * at the place of its form: 'x - 0 ', given back by nobody, so that the others need not look for it
 * where that place was free.
 * otherOf(bucket, digest): the entry of another row that keeps a row without an entry of its own
 * from the key, the very text before another of its form. nil: none. Only two rows of exact jobs go
 * by their texts alone: one record is written otherwise where a loose job has it, too.
 */
export const KEY_ENTRIES = `
local function placeOf(digest)
  local isExact = string.sub(digest, 17, 17) == '='
  local form = string.sub(digest, 1, 16)
  return isExact and digest or form, string.sub(digest, isExact and 18 or 17), form, isExact
end
local function partsOf(entry)
  return string.match(entry or '', '^(%a)(%S*) (%S+) (%d+)')
end
local function isTaken(entry)
  return entry and string.sub(entry, 1, 1) ~= 'x'
end
local function isOf(entry, text, run, row)
  local owner = text .. ' ' .. run .. ' ' .. row .. ' '
  return string.sub(entry, 2, #owner + 1) == owner
end
local function putKey(bucket, digest, kind, run, row, id)
  local field, text, form, isExact = placeOf(digest)
  call('HSET', bucket, field, kind .. text .. ' ' .. run .. ' ' .. row .. ' ' .. id)
  if isExact then
    call('HSETNX', bucket, form, 'x - 0 ')
    call('HSET', bucket, form .. 'e', '')
  end
end
local function hasKey(bucket, digest, run, row)
  local field, text = placeOf(digest)
  local held = call('HGET', bucket, field)
  return not held or held == 'x - 0 ' or isOf(held, text, run, row)
end
local function otherOf(bucket, digest)
  local _, text, form, isExact = placeOf(digest)
  local ofForm = call('HGET', bucket, form)
  local _, theirs = partsOf(ofForm)
  if isTaken(ofForm) and theirs == text then return ofForm end
  local areExact = isExact or call('HEXISTS', bucket, form .. 'e') == 1
  local same = areExact and call('HGET', bucket, form .. '=' .. text)
  if isTaken(same) then return same end
  if isTaken(ofForm) then return ofForm end
  if isExact or not areExact then return nil end
  local all, mark = call('HGETALL', bucket), form .. '='
  for i = 1, #all, 2 do
    local entry = string.sub(all[i], 1, #mark) == mark and all[i + 1]
    -- Not the mark of who met the key.
    if entry and partsOf(entry) and isTaken(entry) then return entry end
  end
end
`;

/**
 * Claims keys for rows, in file order. Running it again for the same rows gives the same answers.
 * KEYS: prefix of the identity buckets. ARGV: run, seconds the bucket lives (0: for ever), then
 * bucket, digest, row, …
 * A given-back key is free for other runs, yet still a duplicate within its own, so that what a
 * file's second row with the key becomes never depends on timing.
 * Answers the epoch, then the number of the row (1: the first) and what keeps it from its key, …:
 * 'dup <row>', 'alike <run> <row>' (that row has another text of the form), or the entry of another
 * run's row.
 */
export const CLAIM = `${KEY_ENTRIES}
local run, prefix = ARGV[1], KEYS[1]
-- What stands in the way of the row; nil: the key is the row's.
local function obstacle(bucket, digest, row)
  local field, text = placeOf(digest)
  local kind, theirs, hrun, hrow = partsOf(call('HGET', bucket, field))
  if hrun == run then
    if hrow == row then return nil end
    return theirs == text and 'dup ' .. hrow or 'alike ' .. run .. ' ' .. hrow
  end
  local held = otherOf(bucket, digest)
  if not held then
    putKey(bucket, digest, 'c', run, row, '')
    return nil
  end
  kind, theirs, hrun, hrow = partsOf(held)
  if theirs ~= text then return 'alike ' .. hrun .. ' ' .. hrow end
  local seen = call('HGET', bucket, field .. 's')
  local srun, srow = string.match(seen or '', '^(%S+) (%d+)')
  if srun == run and srow ~= row then return 'dup ' .. srow end
  call('HSET', bucket, field .. 's', run .. ' ' .. row)
  return held
end
local out = {OPENED}
for i = 3, #ARGV, 3 do
  local bucket, digest, row = prefix .. ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local field, text, _, isExact = placeOf(digest)
  -- Most keys are free: to look first would be another command for each.
  local entry = 'c' .. text .. ' ' .. run .. ' ' .. row .. ' '
  if isExact or call('HSETNX', bucket, field, entry) == 0 then
    local held = obstacle(bucket, digest, row)
    if held then
      out[#out + 1] = tostring(i / 3)
      out[#out + 1] = held
    end
  end
  if ARGV[2] ~= '0' then call('EXPIRE', bucket, ARGV[2]) end
end
return out
`;

/**
 * Reads what the field digests have at places; changes nothing.
 * ARGV: bucket key, field, … Answers per place its text, '' where there is nothing.
 */
export const LOOK_UP = `
local out = {}
for i = 1, #ARGV, 2 do out[#out + 1] = call('HGET', ARGV[i], ARGV[i + 1]) or '' end
return out
`;

/**
 * Reads what stands in the way of another row with each key, or who gave it back; changes nothing.
 * ARGV: bucket key, digest, … Answers per key an entry, '' where there is none.
 */
export const LOOK_UP_KEYS = `${KEY_ENTRIES}
local out = {}
for i = 1, #ARGV, 2 do
  out[#out + 1] = otherOf(ARGV[i], ARGV[i + 1]) or call('HGET', ARGV[i], (placeOf(ARGV[i + 1]))) or ''
end
return out
`;
