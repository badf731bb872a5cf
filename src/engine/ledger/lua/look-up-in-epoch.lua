-- As `look-up`, for what is decided by it.

--- @include "parts/in-epoch"
--- @include "look-up"
