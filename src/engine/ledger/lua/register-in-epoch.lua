-- As `register`, for a worker: a ledger that just forgot the file's run would skip every row.

--- @include "parts/in-epoch"
--- @include "register"
