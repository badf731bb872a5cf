-- A row has accounts from now on, by a person's word.
-- ARGV: run, row, the accounts' places (parts/accounts).

--- @include "parts/accounts"

local run, row, places = unpack(ARGV)

putAccounts(places, protocol.known, run, row)
return 1
