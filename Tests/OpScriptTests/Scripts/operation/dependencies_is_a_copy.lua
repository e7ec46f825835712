-- `dependencies` is an array, a copy.
local a, b = Operation(function() end), Operation(function() end)
local op = Operation { dependencies = { a, b }, main = function() end }
local list = op.dependencies
list[1] = nil
list[3] = "rubbish"
assert(#op.dependencies == 2 and op.dependencies[1] == a and op.dependencies[2] == b)
await(op)
