/**
 * The scripts of the identity ledgers: keys are claimed by rows, and looked up.
 */

/**
 * Lua that declares alike(run, prefix, bucket, digest): '<run> <row>' of another run's row that has the key of that place, or one that was
 * left there (LEFT below), created, claimed or in doubt; nil: there is none. And left(prefix, bucket, digest): whose row has the key left there.
 */
const ALIKE = `
local function holder(entry)
  local kind, hrun, hrow = string.match(entry or '', '^(%a) (%S+) (%d+)')
  if not kind or kind == 'x' then return nil end
  return hrun, hrow
end
local function left(prefix, bucket, digest)
  local place = redis.call('HGET', bucket, digest .. 'l')
  if not place then return nil end
  local theirs, key = string.match(place, '^(%S+) (%S+)$')
  return holder(redis.call('HGET', prefix .. theirs, key))
end
local function alike(run, prefix, bucket, digest)
  local entry = redis.call('HGET', bucket, digest)
  -- Where nothing stands, nothing was left.
  if not entry then return nil end
  local hrun, hrow = holder(entry)
  if not hrun or hrun == run then hrun, hrow = left(prefix, bucket, digest) end
  return hrun and hrun ~= run and hrun .. ' ' .. hrow or nil
end
`;

/**
 * Claims keys for rows, in file order. Running it again for the same rows gives the same answers.
 * KEYS: prefix of the identity buckets. ARGV: run, seconds the bucket lives (0: for ever), number of rows, bucket, digest, row, …, then
 * places at which a key may be that looks like a row's: place of the row (1: the first), 'L' or 'C', bucket, digest, …
 * An entry is '<kind> <run> <row> <id>', kind c: claimed, k: known (created), d: in doubt, x: given back by a row that was not created.
 * A given-back key is free for other runs, yet still a duplicate within its own, so that what a file's
 * second row with the key becomes never depends on timing. '<digest>s' marks who met a key of another run.
 * LEFT: a key that isn't written as it looks (a space at its end) leaves word at the place of the one that is, so that this one finds it at
 * no cost for all others: '<digest>l' with its bucket and digest, and, where the place is free, the entry 'x - 0 ', given back by nobody.
 * Answers the epoch, then place, what keeps the row from its key ('dup <row>', or the other run's entry), … of those that did not get theirs,
 * and place, 'L <run> <row>' or 'C <run> <row>', … of those that did though a key of another run looks like it, or does but for its case.
 */
export const CLAIM = `${ALIKE}
local run, prefix, rows = ARGV[1], KEYS[1], tonumber(ARGV[3])
-- What stands in the way of the row; nil: the key is the row's.
local function obstacle(bucket, digest, row, claimed)
  local held = redis.call('HGET', bucket, digest)
  local kind, hrun, hrow = string.match(held, '^(%a) (%S+) (%d+)')
  if hrun == run then return hrow ~= row and 'dup ' .. hrow or nil end
  if kind == 'x' then
    redis.call('HSET', bucket, digest, claimed)
    return nil
  end
  local seen = redis.call('HGET', bucket, digest .. 's')
  local srun, srow
  if seen then srun, srow = string.match(seen, '^(%S+) (%d+)') end
  if srun == run and srow ~= row then return 'dup ' .. srow end
  redis.call('HSET', bucket, digest .. 's', run .. ' ' .. row)
  return held
end
local out = {OPENED}
local answered = {}
local function answer(i, text)
  if answered[i] then return end
  answered[i] = true
  out[#out + 1] = tostring(i)
  out[#out + 1] = text
end
for i = 1, rows do
  local at = 3 * i + 1
  local bucket, digest, row = prefix .. ARGV[at], ARGV[at + 1], ARGV[at + 2]
  local claimed = 'c ' .. run .. ' ' .. row .. ' '
  -- Most keys are free: to look first would be another command for each.
  if redis.call('HSETNX', bucket, digest, claimed) == 0 then
    local held = obstacle(bucket, digest, row, claimed)
    local other = not held and ARGV[2] == '0' and alike(run, prefix, bucket, digest)
    if held then answer(i, held) elseif other then answer(i, 'L ' .. other) end
  end
  if ARGV[2] ~= '0' then redis.call('EXPIRE', bucket, ARGV[2]) end
end
for at = 3 * rows + 4, #ARGV, 4 do
  local i, code, bucket, digest = tonumber(ARGV[at]), ARGV[at + 1], prefix .. ARGV[at + 2], ARGV[at + 3]
  local other = not answered[i] and alike(run, prefix, bucket, digest)
  if other then answer(i, code .. ' ' .. other) end
  if code == 'L' and not left(prefix, bucket, digest) then
    redis.call('HSET', bucket, digest .. 'l', ARGV[3 * i + 1] .. ' ' .. ARGV[3 * i + 2])
    redis.call('HSETNX', bucket, digest, 'x - 0 ')
  end
end
return out
`;

/**
 * Reads who has a key that looks like another; changes nothing.
 * ARGV: run whose own keys don't count, prefix, then number, 'L' or 'C', bucket, digest, … Answers number, 'L <run> <row>' or 'C <run> <row>', …:
 * of each number the first that was found.
 */
export const LOOK_ALIKE = `${ALIKE}
local out, answered = {}, {}
for at = 3, #ARGV, 4 do
  local i = ARGV[at]
  local other = not answered[i] and alike(ARGV[1], ARGV[2], ARGV[2] .. ARGV[at + 2], ARGV[at + 3])
  if other then
    answered[i] = true
    out[#out + 1] = i
    out[#out + 1] = ARGV[at + 1] .. ' ' .. other
  end
end
return out
`;

/**
 * Reads what stands at places of the identity ledger or of the field digests; changes nothing.
 * ARGV: bucket key, field, … Answers per place its text, '' where there is nothing.
 */
export const LOOK_UP = `
local out = {}
for i = 1, #ARGV, 2 do out[#out + 1] = redis.call('HGET', ARGV[i], ARGV[i + 1]) or '' end
return out
`;
