-- As `added`, as a batch of the worker that hands the chunks out.

--- @include "parts/in-epoch"
--- @include "added"
