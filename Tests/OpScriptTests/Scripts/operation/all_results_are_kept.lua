-- `result` is the first value that the body returned; all of them: `op:results()`.
local op = Operation(function() return "a", nil, "c", nil end)
await(op)
assert(op.result == "a")
assert(select("#", op:results()) == 4, "trailing nils were lost")
local first, second, third, fourth = op:results()
assert(first == "a" and second == nil and third == "c" and fourth == nil)
