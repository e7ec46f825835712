-- A table that holds an operation at any depth makes the new one depend on it, and gets its result there.
local a = Operation(function() return "A" end)
local b = Operation(function() return { "B" } end)
local op = work.json.encode { { { a } }, b, "c", a }
assert(#op.dependencies == 2)
assert(await(op) == '[[["A"]],["B"],"c","A"]')
