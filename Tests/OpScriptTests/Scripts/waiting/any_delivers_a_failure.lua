-- `await.any` returns the first operation with any outcome: a failure that it returns is delivered, and the run succeeds.
local a = Operation { name = "a", main = function() error "a fails" end }
local first = await.any { a, Operation { name = "b", main = function() sleep(0.01) end } }
assert(first == a and first.outcome == "failed")
