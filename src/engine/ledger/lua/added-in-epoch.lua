-- As `added`, as a numbered command of the worker that hands the chunks out.

--- @include "parts/in-epoch"
--- @include "added"
