-- `await(op)` returns its results.
local first, second, third = await(Operation(function() return 1, nil, 3 end))
assert(first == 1 and second == nil and third == 3)
