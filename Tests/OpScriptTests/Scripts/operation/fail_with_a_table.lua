-- An error table given to `op:fail` passes through as it is.
local reason = { status = 404 }
local op = Operation { start = function(self) self:fail(reason) end }
local ok, err = pawait(op)
assert(not ok and rawequal(err, reason) and rawequal(op.error, reason))
