/**
 * The audit's chain (model/audit.ts), which the scripts that change something append to, so that
 * neither happens without the other. Redis' Lua has no SHA-256 of its own.
 */
import { OUTCOMES } from '../../model/outcome.ts';

const PRIMES = Array.from({ length: 310 }, (_, i) => i + 2).filter(
  (n, _, all) => !all.some((by) => by < n && n % by === 0),
);
/** The constants of SHA-256 (FIPS 180-4): the first 32 bits of fractions of roots. */
const bitsOf = (root: number) => Math.floor((root % 1) * 2 ** 32);

/** Lua: sha256(text), in hex. */
const SHA256 = `
local function sha256(text)
  local K = {${PRIMES.map((n) => bitsOf(Math.cbrt(n)))}}
  local H = {${PRIMES.slice(0, 8).map((n) => bitsOf(Math.sqrt(n)))}}
  local band, bnot, bxor, ror, shr, tobit = bit.band, bit.bnot, bit.bxor, bit.ror, bit.rshift, bit.tobit
  local n = #text
  local size = string.char(shr(n, 21) % 256, shr(n, 13) % 256, shr(n, 5) % 256, n * 8 % 256)
  text = text .. '\\128' .. string.rep('\\0', (55 - n) % 64 + 4) .. size
  for at = 0, #text - 64, 64 do
    local w = {}
    for i = 1, 16 do
      local a, b, c, d = string.byte(text, at + 4 * i - 3, at + 4 * i)
      w[i] = tobit(a * 16777216 + b * 65536 + c * 256 + d)
    end
    for i = 17, 64 do
      local x, y = w[i - 15], w[i - 2]
      local s0, s1 = bxor(ror(x, 7), ror(x, 18), shr(x, 3)), bxor(ror(y, 17), ror(y, 19), shr(y, 10))
      w[i] = tobit(w[i - 16] + s0 + w[i - 7] + s1)
    end
    local a, b, c, d, e, f, g, h = unpack(H)
    for i = 1, 64 do
      local choice = bxor(band(e, f), band(bnot(e), g))
      local t1 = h + bxor(ror(e, 6), ror(e, 11), ror(e, 25)) + choice + K[i] + w[i]
      local t2 = bxor(ror(a, 2), ror(a, 13), ror(a, 22)) + bxor(band(a, b), band(a, c), band(b, c))
      h, g, f, e, d, c, b, a = g, f, e, tobit(d + t1), c, b, a, tobit(t1 + t2)
    end
    for i, v in ipairs({a, b, c, d, e, f, g, h}) do H[i] = tobit(H[i] + v) end
  end
  for i, v in ipairs(H) do H[i] = bit.tohex(v) end
  return table.concat(H)
end
`;

/** A run's latest entries, and what happened besides, for display. */
export const STORY_LENGTH = 500;

/**
 * Lua: audit(chain, stub, what, of, …): appends an entry, also to the stories of the records that
 * follow; `stub`: its fields before `what` (`stubOf`), `of`: JSON. counts(record): its outcomes.
 */
export const AUDIT_ENTRY = `${SHA256}
local function audit(chain, stub, what, of, ...)
  local last = call('LINDEX', chain, -1)
  local n, prev = call('LLEN', chain) + 1, last and sha256(last) or ''
  local said = stub .. ',"what":"' .. what .. '","of":' .. of
  local entry = '{"n":' .. n .. ',' .. said .. ',"prev":"' .. prev .. '"}'
  call('RPUSH', chain, entry)
  for _, record in ipairs({...}) do
    call('RPUSH', record .. ':story', entry)
    call('LTRIM', record .. ':story', -${STORY_LENGTH}, -1)
  end
end
local function counts(record)
  local of = {}
  for _, outcome in ipairs(cjson.decode('${JSON.stringify(OUTCOMES)}')) do
    local n = call('HGET', record, 'o:' .. outcome) or '0'
    if n ~= '0' then of[#of + 1] = '"' .. outcome .. '":' .. n end
  end
  return '{' .. table.concat(of, ',') .. '}'
end
`;

/**
 * An act without a script of its own; sent again, it is among the latest entries. KEYS: chain, then
 * records whose stories tell it. ARGV: stub, what, of.
 */
export const AUDIT = `${AUDIT_ENTRY}
local said = ARGV[1] .. ',"what":"' .. ARGV[2] .. '","of":' .. ARGV[3] .. ',"prev":'
for _, entry in ipairs(call('LRANGE', KEYS[1], -100, -1)) do
  if string.find(entry, said, 1, true) then return 0 end
end
audit(KEYS[1], ARGV[1], ARGV[2], ARGV[3], unpack(KEYS, 2))
return 1
`;

/**
 * Rows are written off. KEYS: written off, files, chain, record. ARGV: field, its text, what
 * whoever is about to take rows compares, stub, of.
 */
export const WRITE_OFF = `${AUDIT_ENTRY}
if call('HSETNX', KEYS[1], ARGV[1], ARGV[2]) == 0 then return 0 end
call('HSET', KEYS[2], 'taken', ARGV[3])
audit(KEYS[3], ARGV[4], 'written-off', ARGV[5], KEYS[4])
return 1
`;
