-- An asynchronous operation may finish within its `start`.
local op = Operation { start = function(self) self:finish("at once") end }
assert(await(op) == "at once")
assert(op.outcome == "succeeded")
