-- As `look-up-keys`, for what is decided by it.

--- @include "parts/in-epoch"
--- @include "look-up-keys"
